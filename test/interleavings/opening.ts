import { begin, consent, land, whoIs } from '../providers/journey.ts'
import { verifyBackupCode, verifyTotp } from '../service/devices/factors.ts'
import { showPasskey } from '../service/devices/security-key.ts'
import type { Person } from '../service/people.ts'
import { elsewhere, type Subject } from './acts.ts'

/** The names of what signs in, each tried in a new browser. */
export async function opening(subject: Subject): Promise<readonly string[]> {
  const { made, stage } = subject
  // A code of an app works once.
  stage.service.clock.advance({ seconds: 30 })
  const opened: string[] = []
  for (const password of made.passwords) opened.push(...(await openedBy(subject, password)))
  for (const [name, key] of made.keys)
    if ((await showPasskey(elsewhere(subject), key)).status === 200) opened.push(name)
  for (const [name, id] of made.members) if (await opensAs(subject, id)) opened.push(name)
  return opened.toSorted()
}

/** The password, and the second steps that can come after it. */
async function openedBy(subject: Subject, password: string): Promise<readonly string[]> {
  const browser = elsewhere(subject)
  const { status, body } = await browser.post('/api/auth/sign-in/email', { email: browser.email, password })
  if (status !== 200) return []
  const opened = [password]
  if (!body.twoFactorMethods) return opened
  const { apps, codes } = subject.made
  for (const [name, app] of apps)
    if ((await verifyTotp(await halfway(subject, password), app.code())).status === 200) opened.push(name)
  for (const [name, code] of codes)
    if ((await verifyBackupCode(await halfway(subject, password), code)).status === 200) opened.push(name)
  return opened
}

async function halfway(subject: Subject, password: string): Promise<Person> {
  const browser = elsewhere(subject)
  await browser.post('/api/auth/sign-in/email', { email: browser.email, password })
  return browser
}

/** A member who is not linked gets an account of its own. */
async function opensAs(subject: Subject, id: number): Promise<boolean> {
  const { stage, ann } = subject
  stage.forum.resources = { '/api/user': { id, username: 'ann' } }
  const browser = elsewhere(subject)
  const landed = await land(browser, await consent(await begin(browser, 'community')))
  return landed?.startsWith('/sign-in/second-step') === true || (await whoIs(browser))?.email === ann.email
}
