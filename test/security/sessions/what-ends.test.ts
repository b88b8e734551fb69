import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { enableProvider, linkVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { decideDevice, grantFor, poll, revoke, startDevice, userBehind } from '../../service/grants.ts'
import { type Answer, Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const SCOPE = 'account:profile:read'
const NEW_PASSWORD = 'a quieter walk in the snow'

/** Ann has everything that an event could end. */
async function world(isProven: boolean) {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const service = stack.use(await startService({ env: { COMMUNITY_AUTH_URL: forum.url } }))
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
  await enableProvider(service, 'community')
  const { administrator, ann, ben } = await people(service)
  if (isProven) await prove(ann, ann)
  await linkVia(ann, 'community')
  const app = await addApp(service, ann)
  const [first = '', second = ''] = app.backupCodes
  const [other, trusted, waiting] = [elsewhere(), elsewhere(), elsewhere()]
  for (const browser of [other, trusted, waiting]) await browser.signIn()
  done(await verifyBackupCode(other, first))
  done(await verifyTotp(trusted, app.code(), true))
  const client = await grantFor(ann, SCOPE)
  const token = { name: 'A script', scopes: [SCOPE], expires_in_days: 30 }
  const personal = done(await ann.post('/api/create_personal_token', token)).body.token
  const device = (await startDevice(ben, SCOPE)).body
  done(await decideDevice(ann, device.user_code, true))
  const { email } = ann
  done(await ben.post('/api/auth/email-otp/request-password-reset', { email }))
  const resetLink = await service.mail.linkFor(email)
  const tokens = { access: client.tokens.access_token, personal, device: device.device_code, resetLink }
  return {
    ...{ service, administrator, ann, ben, other, waiting, second, tokens, prove },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }

  function elsewhere(): Person {
    return new Person(service, ann.email, ann.password)
  }

  async function prove(person: Person, browser: Person): Promise<Answer<unknown>> {
    const type = 'email-verification'
    await browser.post('/api/auth/email-otp/send-verification-otp', { email: person.email, type })
    const otp = await service.mail.codeFor(person.email)
    return browser.post('/api/auth/email-otp/verify-email', { email: person.email, otp })
  }
}

type World = Awaited<ReturnType<typeof world>>

function done<Body>(answer: Answer<Body>): Answer<Body> {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer
}

/** By the words of the table's first column. */
const EVENTS: Readonly<Record<string, (world: World) => Promise<Answer<unknown>>>> = {
  'first proof of the address, in the browser that signed up or is signed in': ({ ann, prove }) =>
    prove(ann, ann),
  'first proof of the address, in any other browser': ({ ann, ben, prove }) => prove(ann, ben),
  'reset by code or link': ({ ann, ben, tokens }) => reset(ben, ann, tokens.resetLink),
  '`change-password`': ({ ann }) => changePassword(ann, false),
  '`change-password` with `revokeOtherSessions`': ({ ann }) => changePassword(ann, true),
  '`sign-out`': ({ ann }) => ann.post('/api/auth/sign-out'),
  '`revoke-sessions`': ({ ann }) => ann.post('/api/auth/revoke-sessions'),
  '`revoke-other-sessions`': ({ ann }) => ann.post('/api/auth/revoke-other-sessions'),
  '`revoke-other-sessions` with `tools`': ({ ann }) =>
    ann.post('/api/auth/revoke-other-sessions', { tools: true }),
  '`admin/revoke_user_sessions`': ({ administrator, ann }) =>
    administrator.post('/api/admin/revoke_user_sessions', { id: ann.id }),
  '`admin/suspend_user`': ({ administrator, ann }) =>
    administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' }),
  '`oauth/revoke`, `revoke_grant`, `admin/revoke_user_grant`': ({ ann, tokens }) =>
    revoke(ann, tokens.access),
  'the second factor is switched off': ({ ann }) =>
    ann.post('/api/auth/two-factor/disable', { password: ann.password }),
  '`admin/remove_factors`': ({ administrator, ann }) =>
    administrator.post('/api/admin/remove_factors', { id: ann.id, user_id: ann.id }),
  deletion: ({ ann }) => ann.post('/api/auth/delete-user', { password: ann.password }),
}

const BEFORE_THE_FIRST_PROOF = /^first proof/

function reset(browser: Person, { email }: Person, otp: string) {
  return browser.post('/api/auth/email-otp/reset-password', { email, otp, password: NEW_PASSWORD })
}

function changePassword(ann: Person, revokeOtherSessions: boolean) {
  const sent = { currentPassword: ann.password, newPassword: NEW_PASSWORD, revokeOtherSessions }
  return ann.post('/api/auth/change-password', sent)
}

/** By the words of the table's head. The last one tried ends the others if it works. */
const BELONGINGS: Readonly<Record<string, (world: World) => Promise<boolean>>> = {
  'this session': ({ ann }) => isSignedIn(ann),
  'other sessions': ({ other }) => isSignedIn(other),
  'connected tools': async ({ ben, tokens }) => (await userBehind(ben, tokens.access)) !== undefined,
  'approved requests': async ({ ben, tokens }) => (await poll(ben, tokens.device)).status === 200,
  'personal tokens': async ({ ben, tokens }) => (await userBehind(ben, tokens.personal)) !== undefined,
  'linked providers': (w) => hasRows(w, 'account', 'community'),
  'trusted browsers': (w) => hasRows(w, 'trusted_device'),
  'waiting second steps': async ({ waiting, second }) =>
    (await verifyBackupCode(waiting, second)).status === 200,
  'mailed reset': async ({ ben, ann, tokens }) => (await reset(ben, ann, tokens.resetLink)).status === 200,
}

async function isSignedIn(person: Person): Promise<boolean> {
  return (await person.get('/api/auth/get-session')).body !== null
}

async function hasRows({ service, ann }: World, table: 'account' | 'trusted_device', provider?: string) {
  const { primary } = service.platform.meta
  const rows =
    table === 'account'
      ? await primary.selectFrom('account').select('provider').where('user_id', '=', ann.id).execute()
      : await primary.selectFrom('trusted_device').select('id').where('user_id', '=', ann.id).execute()
  return rows.some((row) => provider === undefined || ('provider' in row && row.provider === provider))
}

/** The table of docs/security.md: for each event, what stays. */
function writtenDown(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(`${import.meta.dirname}/../../../docs/security.md`, 'utf8')
  const section = /## What ends, and when\n([\s\S]*?)\n## /.exec(text)?.[1] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return new Map(
    rows.map(([event = '', ...cells]) => [event, head.slice(1).filter((_, i) => cells[i] === 'stay')]),
  )
}

describe('what ends, as docs/security.md says', () => {
  it('checklist 67, 68: every event of the table is tried, and every column', () => {
    const table = writtenDown()

    assert.deepEqual([...table.keys()], Object.keys(EVENTS))
    assert.deepEqual(new Set([...table.values()].flat()), new Set(Object.keys(BELONGINGS)))
  })

  for (const [event, happen] of Object.entries(EVENTS)) {
    it(`checklist 68: at ${event.replaceAll('`', '')}`, async () => {
      await using w = await world(!BEFORE_THE_FIRST_PROOF.test(event))

      done(await happen(w))

      const staying: string[] = []
      for (const [name, stays] of Object.entries(BELONGINGS)) if (await stays(w)) staying.push(name)
      assert.deepEqual(staying, writtenDown().get(event))
    })
  }
})
