import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe } from 'vitest'
import { linkVia, whoIs } from '../../providers/journey.ts'
import { refusal, statuses } from '../../service/answers.ts'
import { addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import {
  approvedCode,
  decideDevice,
  grantFor,
  poll,
  redeem,
  refreshWith,
  revoke,
  startDevice,
  userBehind,
} from '../../service/grants.ts'
import { proveAddress } from '../../service/mailed.ts'
import type { Answer, Person } from '../../service/people.ts'
import { it, NEW_PASSWORD, type World } from '../support/house.ts'

const SCOPE = 'account:profile:read'

/** Ann has everything that an event could end. */
async function withAll({ service, administrator, ann, ben, browser }: World, isProven: boolean) {
  if (isProven) await proveAddress(service, ann, ann)
  await linkVia(ann, 'community')
  const app = await addApp(service, ann)
  const [first = '', second = ''] = app.backupCodes
  const [other, trusted, waiting] = [browser(), browser(), browser()]
  for (const one of [other, trusted, waiting]) await one.signIn()
  done(await verifyBackupCode(other, first))
  done(await verifyTotp(trusted, app.code(), true))
  const token = { name: 'A script', scopes: [SCOPE], expires_in_days: 30 }
  const device = (await startDevice(ben, SCOPE)).body
  done(await decideDevice(ann, device.user_code, true))
  const waitingDevice = (await startDevice(ben, SCOPE)).body
  const { user_code } = waitingDevice
  done(await ann.post('/api/oauth/begin_authorization', { user_code }))
  const { email } = ann
  done(await ben.post('/api/auth/email-otp/request-password-reset', { email }))
  const held = {
    client: (await grantFor(ann, SCOPE)).tokens,
    approval: await approvedCode(other, [SCOPE]),
    device: device.device_code,
    waitingDevice: waitingDevice.device_code,
    personal: done(await ann.post('/api/create_personal_token', token)).body.token,
    resetLink: await service.mail.linkFor(email),
  }
  return { service, administrator, ann, ben, other, waiting, second, held }
}

type Full = Awaited<ReturnType<typeof withAll>>

function done<Body>(answer: Answer<Body>): Answer<Body> {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer
}

/** Keyed by the words of the table's first column. */
const EVENTS: Readonly<Record<string, (full: Full) => Promise<Answer<unknown>>>> = {
  'first proof of the address, in a browser of the owner': ({ service, ann }) => proveAddress(service, ann, ann),
  'first proof of the address, in any other browser': ({ service, ann, ben }) => proveAddress(service, ann, ben),
  'reset by code or link': ({ ann, ben, held }) => reset(ben, ann, held.resetLink),
  '`change-password`': ({ ann }) => changePassword(ann, false),
  '`change-password` with `revokeOtherSessions`': ({ ann }) => changePassword(ann, true),
  '`sign-out`': ({ ann }) => ann.post('/api/auth/sign-out'),
  '`revoke-sessions`': ({ ann }) => ann.post('/api/auth/revoke-sessions'),
  '`revoke-other-sessions`': ({ ann }) => ann.post('/api/auth/revoke-other-sessions'),
  '`revoke-other-sessions` with `tools`': ({ ann }) => ann.post('/api/auth/revoke-other-sessions', { tools: true }),
  '`admin/revoke_user_sessions`': ({ administrator, ann }) =>
    administrator.post('/api/admin/revoke_user_sessions', { id: ann.id }),
  '`admin/suspend_user`': ({ administrator, ann }) =>
    administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' }),
  '`oauth/revoke`, `revoke_grant`, `admin/revoke_user_grant`': ({ ann, held }) => revoke(ann, held.client.access_token),
  'the second factor is switched off': ({ ann }) =>
    ann.post('/api/auth/two-factor/disable', { password: ann.password }),
  '`admin/remove_factors`': ({ administrator, ann }) => administrator.post('/api/admin/remove_factors', { id: ann.id }),
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

/** Keyed by the words of the table's head. The last one tried ends the others if it works. */
const BELONGINGS: Readonly<Record<string, (full: Full) => Promise<boolean>>> = {
  'this session': async ({ ann }) => (await whoIs(ann)) !== undefined,
  'other sessions': async ({ other }) => (await whoIs(other)) !== undefined,
  'connected tools': async ({ ben, held: { client } }) =>
    bothOrNeither(
      (await userBehind(ben, client.access_token)) !== undefined,
      (await refreshWith(ben, client.refresh_token)).status === 200,
    ),
  'approved requests': async ({ ben, held: { device, approval } }) =>
    bothOrNeither(
      (await poll(ben, device)).status === 200,
      (await redeem(ben, approval.code, approval.verifier)).status === 200,
    ),
  'requests of devices begun here': async ({ ben, held }) =>
    (await poll(ben, held.waitingDevice)).body.error === 'authorization_pending',
  'personal tokens': async ({ ben, held }) => (await userBehind(ben, held.personal)) !== undefined,
  'linked providers': (w) => hasRows(w, 'account', 'community'),
  'trusted browsers': (w) => hasRows(w, 'trusted_device'),
  'waiting second steps': async ({ waiting, second }) => (await verifyBackupCode(waiting, second)).status === 200,
  'mailed reset': async ({ ben, ann, held }) => (await reset(ben, ann, held.resetLink)).status === 200,
}

function bothOrNeither(one: boolean, other: boolean): boolean {
  assert.equal(one, other, 'one of the two works, and the other does not')
  return one
}

async function hasRows({ service, ann }: Full, table: 'account' | 'trusted_device', provider?: string) {
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
  return new Map(rows.map(([event = '', ...cells]) => [event, head.slice(1).filter((_, i) => cells[i] === 'stay')]))
}

describe('what ends, as docs/security.md says', () => {
  it('checklist 67, 68: every event of the table is tried, and every column', () => {
    const table = writtenDown()

    assert.deepEqual([...table.keys()], Object.keys(EVENTS))
    assert.deepEqual(new Set([...table.values()].flat()), new Set(Object.keys(BELONGINGS)))
  })

  it.for(Object.entries(EVENTS))('checklist 68: at %s', async ([event, happen], { world }) => {
    const w = await withAll(world, !BEFORE_THE_FIRST_PROOF.test(event))

    done(await happen(w))

    const staying: string[] = []
    for (const [name, stays] of Object.entries(BELONGINGS)) if (await stays(w)) staying.push(name)
    assert.deepEqual(staying, writtenDown().get(event))
  })

  it('other users keep theirs', async ({ ann, ben }) => {
    const tool = await grantFor(ben, SCOPE)

    await ann.post('/api/auth/revoke-sessions')

    assert.equal((await whoIs(ben)).id, ben.id)
    assert.equal(await userBehind(ben, tool.tokens.access_token), ben.id)
  })
})

describe("the administrator's view of a user's connections", () => {
  const LIST = '/api/admin/list_user_grants'
  const REVOKE = '/api/admin/revoke_user_grant'

  it('lists and ends them, in the administrator’s name', async ({ ann, ben, administrator }) => {
    const tool = await grantFor(ann, SCOPE)

    const listed = await administrator.post(LIST, { user_id: ann.id })
    const [{ id, status }] = listed.body.items
    const foreign = await administrator.post(REVOKE, { user_id: ben.id, id })
    const ended = await administrator.post(REVOKE, { user_id: ann.id, id })

    assert.deepEqual([listed.body.total, status], [1, 'active'])
    assert.deepEqual(statuses([foreign, ended]), [404, 200])
    assert.equal(await userBehind(ann, tool.tokens.access_token), undefined)
    const log = await administrator.post('/api/admin/list_audit_entries', { action: 'grant.revoked' })
    assert.equal(log.body.items[0].actor_id, administrator.id)
  })

  it('is closed to others, and 404 for a user that does not exist', async ({ ann, ben, administrator }) => {
    const answers = [
      await ben.post(LIST, { user_id: ann.id }),
      await ben.post(REVOKE, { user_id: ann.id, id: crypto.randomUUID() }),
      await administrator.post(LIST, { user_id: 'nobody' }),
      await administrator.post(LIST, {}),
    ]

    assert.deepEqual(answers.map(refusal), [
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
      [400, 'INVALID_REQUEST'],
    ])
  })
})
