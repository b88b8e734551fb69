import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Texts } from '../../../web/src/texts/en.ts'
import { challengeOf, newVerifier } from '../../service/grants.ts'
import { type Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { anyWords, effectsRun, fillSignIn } from './acts.ts'
import { openBrowserSession } from './browser-session.ts'
import { faultsInView, type Reader } from './every-page.ts'

const BACK = 'https://app.example.com/back'
const SCOPES = ['openid', 'account:profile:read', 'account:profile:write', 'admin:users:write']
const wide = { width: 1280, height: 832 }
const longName = 'drawbridge'.repeat(6)

/** What the sweep of the pages does not show: open dialogs, and consent to scopes of all three tiers. */
export async function lookAtEveryState({ colorScheme, texts, locale, hasKeyboardOnly }: Reader) {
  await using service = await startService()
  const { administrator, ann } = await people(service)
  await administrator.post('/api/admin/create_notification', { title: longName, content: longName })
  const { body: feedback } = await ann.post('/api/submit_feedback', { type: longName, content: longName })
  const consent = await consentPath(administrator)
  await using browser = await openBrowserSession(service)
  const page = await browser.openPage({ colorScheme, locale, viewport: wide })
  await page.goto('/sign-in')
  await fillSignIn(page, administrator.email, administrator.password, texts)
  await page.getByRole('heading', { name: anyWords(texts.home.title) }).waitFor()

  const faults: string[] = []
  for (const [name, open] of statesOf(page, texts, ann.id, feedback.id, consent)) {
    await open()
    await page.waitForLoadState('networkidle')
    faults.push(...(await faultsInView(page, name, hasKeyboardOnly)))
  }

  assert.deepEqual(faults, [])
  assert.deepEqual(browser.complaints, [])
}

/** Of an application that asks for all three tiers. */
async function consentPath(administrator: Person): Promise<string> {
  const { body } = await administrator.post('/api/admin/create_application', {
    name: longName,
    kind: 'web',
    redirect_uris: [BACK],
    scopes: SCOPES,
  })
  const query = new URLSearchParams({
    client_id: body.client_id,
    response_type: 'code',
    redirect_uri: BACK,
    scope: SCOPES.join(' '),
    state: 'a-state',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
  })
  return `/oauth/authorize?${query}`
}

type State = readonly [name: string, open: () => Promise<unknown>]

function statesOf(page: Page, texts: Texts, userId: string, feedbackId: string, consent: string): State[] {
  const dialog = page.getByRole('dialog')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
  const byAddress = (path: string, field: string): State => [
    path,
    async () => {
      await page.goto(path)
      await dialog.getByLabel(field, { exact: true }).waitFor()
    },
  ]
  const byButton = (path: string, button: string): State => [
    `${path}: ${button}`,
    async () => {
      // What arrives late moves the buttons, and a click on a moving button is lost.
      await page.goto(path, { waitUntil: 'networkidle' })
      await press(button)
      await dialog.waitFor()
    },
  ]
  const person = `/console/users/${userId}`
  return [
    byAddress('/console/notifications?open=new', texts.publishing.headline),
    byAddress('/console/users?open=new', texts.invite.email),
    byAddress(`/console/feedback?open=${feedbackId}`, texts.inbox.reply),
    byButton(person, texts.person.give),
    byButton(person, texts.people.suspend),
    byButton(person, texts.people.remove),
    byButton(person, texts.person.verify),
    byButton('/console/applications', texts.applications.register),
    byButton('/console/applications', longName),
    [
      'the command palette',
      async () => {
        await page.goto('/console/shards')
        await page.getByRole('table').waitFor()
        await effectsRun(page)
        await page.keyboard.press('Control+k')
        await dialog.waitFor()
      },
    ],
    [
      'the menu on a phone',
      async () => {
        await page.setViewportSize({ width: 390, height: 844 })
        await page.goto('/console/shards', { waitUntil: 'networkidle' })
        await press(texts.nav.open)
        await dialog.getByRole('navigation').waitFor()
      },
    ],
    [
      'consent of an application',
      async () => {
        await page.setViewportSize(wide)
        await page.goto(consent)
        for (const tier of Object.values(texts.scopeTiers))
          await page.getByRole('list', { name: tier }).waitFor()
      },
    ],
  ]
}
