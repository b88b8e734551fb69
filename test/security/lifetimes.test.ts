import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { bearer } from '../service/applications.ts'
import { decide, needs } from '../service/approvals.ts'
import { AuthenticatorApp, addApp, verifyTotp } from '../service/devices/factors.ts'
import { addPasskey } from '../service/devices/security-key.ts'
import { approvedCode, authorizationQuery, grantFor, poll, redeem, startDevice, userBehind } from '../service/grants.ts'
import { inNewBrowser } from '../service/new-browser.ts'
import { newcomer, type Person, stranger } from '../service/people.ts'
import type { Service } from '../service/service.ts'
import { it, type World } from './support/house.ts'

const WRITE = 'operations:feedback:write'
const IDEA = { type: 'idea', content: 'More light.' }
const PASSKEY = '/api/auth/passkey'

type IsGood = () => Promise<boolean>
type Duration = Parameters<Service['clock']['advance']>[0]

/** Everything given to somebody now, and whether it is good when it is used. */
const LIFETIMES: readonly (readonly [
  thing: string,
  lasts: Duration,
  given: (person: Person, world: World) => Promise<IsGood>,
])[] = [
  [
    'an authorization code',
    { seconds: 60 },
    async (person) => {
      const { code, verifier } = await approvedCode(person, [WRITE])
      return async () => (await redeem(person, code, verifier)).status === 200
    },
  ],
  [
    'a consent that is asked for',
    { minutes: 10 },
    async (person) => {
      const { body } = await person.post('/api/oauth/begin_authorization', authorizationQuery([WRITE]))
      return isDone(person, '/api/oauth/decide_authorization', { request_id: body.request_id, approve: true })
    },
  ],
  [
    'an access token',
    { minutes: 15 },
    async (person) => {
      const { tokens } = await grantFor(person, WRITE)
      return async () => (await userBehind(person, tokens.access_token)) === person.id
    },
  ],
  [
    'a refresh token',
    { days: 30 },
    async (person) => {
      const tool = await grantFor(person, WRITE)
      return async () => (await tool.refresh()).status === 200
    },
  ],
  [
    'a refresh token that was used, for a retry',
    { seconds: 30 },
    async (person) => {
      const tool = await grantFor(person, WRITE)
      await tool.refresh()
      return async () => (await tool.refresh()).status === 200
    },
  ],
  [
    'a device code',
    { minutes: 10 },
    async (person) => {
      const { device_code } = (await startDevice(person, WRITE)).body
      return async () => (await poll(person, device_code)).body.error === 'authorization_pending'
    },
  ],
  [
    'a user code',
    { minutes: 10 },
    async (person) => {
      const { user_code } = (await startDevice(person, WRITE)).body
      return isDone(person, '/api/oauth/begin_authorization', { user_code })
    },
  ],
  [
    'a personal token',
    { days: 1 },
    async (person) => {
      const script = { name: 'script', scopes: [WRITE], expires_in_days: 1 }
      const { token } = (await person.post('/api/create_personal_token', script)).body
      return async () => (await person.post('/api/submit_feedback', IDEA, bearer(token))).status === 200
    },
  ],
  [
    'a call that waits for approval',
    { minutes: 10 },
    async (person) => {
      const tool = await grantFor(person, WRITE)
      await needs(person, 'writes')
      const held = await tool.post('/api/submit_feedback', IDEA)
      return async () => (await decide(person, held)).status === 200
    },
  ],
  [
    'the result of an approved call',
    { minutes: 10 },
    async (person) => {
      const tool = await grantFor(person, WRITE)
      await needs(person, 'writes')
      const held = await tool.post('/api/submit_feedback', IDEA)
      await decide(person, held)
      const { approval_id: id } = held.body
      return async () => (await tool.post('/api/get_approval', { id })).body.result !== undefined
    },
  ],
  [
    'a kept answer',
    { days: 1 },
    async (person) => {
      const send = () => person.post('/api/submit_feedback', IDEA, { 'idempotency-key': 'a key' })
      const { body } = await send()
      return async () => (await send()).body.id === body.id
    },
  ],
  [
    'a fresh session, up to the last of these moments',
    { minutes: 15, milliseconds: 1 },
    async (person) => isDone(person, '/api/export_account', {}),
  ],
  [
    'an invitation',
    { days: 7 },
    async (person, { administrator, service }) => {
      const guest = stranger(service, `guest-of-${person.email}`)
      await administrator.post('/api/admin/invite_user', { email: guest.email })
      const link = await service.mail.linkFor(guest.email)
      return isDone(guest, '/api/auth/accept-invitation', {
        email: guest.email,
        password: guest.password,
        link,
      })
    },
  ],
  [
    'a sign-in that waits for its second step',
    { minutes: 10 },
    async (person, { service }) => {
      const app = await addApp(service, person)
      const browser = inNewBrowser(service, person)
      await browser.signIn()
      return async () => (await verifyTotp(browser, app.code())).status === 200
    },
  ],
  [
    'a trusted device',
    { days: 30 },
    async (person, { service }) => {
      const app = await addApp(service, person)
      const browser = inNewBrowser(service, person)
      await browser.signIn()
      await verifyTotp(browser, app.code(), true)
      return async () => typeof (await browser.signIn()).body.token === 'string'
    },
  ],
  [
    'an authenticator app that is still to be confirmed',
    { hours: 1 },
    async (person, { service }) => {
      const { body } = await person.post('/api/auth/two-factor/enable', { password: person.password })
      const app = new AuthenticatorApp(service, body)
      return async () => (await verifyTotp(person, app.code())).status === 200
    },
  ],
  [
    'a question to a passkey',
    { minutes: 5 },
    async (person, { service, newKey }) => {
      const [key, browser] = [newKey(), inNewBrowser(service, person)]
      await addPasskey(person, key)
      const { body } = await browser.get(`${PASSKEY}/generate-authenticate-options`)
      return isDone(browser, `${PASSKEY}/verify-authentication`, { response: key.show(body) })
    },
  ],
]

const isDone = (person: Person, path: string, body: object) => async () =>
  (await person.post(path, body)).status === 200

describe('a lifetime holds at its edge', () => {
  it.for(LIFETIMES)('%s', async ([, lasts, given], { world }) => {
    const { service } = world
    const inTime = await given(await newcomer(service, 'carl@example.com'), world)
    service.clock.advance(lasts)
    service.clock.advance({ milliseconds: -1 })
    const before = await inTime()
    const late = await given(await newcomer(service, 'dora@example.com'), world)
    service.clock.advance(lasts)

    assert.deepEqual([before, await late()], [true, false])
  })
})
