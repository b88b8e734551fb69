import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe } from 'vitest'
import { assertRefused, oauthError, refusal } from '../../../../../test/service/answers.ts'
import { decideDevice, poll, postForm, startDevice, userBehind } from '../../../../../test/service/grants.ts'
import { it as base } from '../../../../../test/service/it.ts'
import { inNewBrowser } from '../../../../../test/service/new-browser.ts'
import { type Person, stranger } from '../../../../../test/service/people.ts'
import type { Service } from '../../../../../test/service/service.ts'

const SCOPE = 'operations:notifications:read'
const START = '/api/oauth/device_authorization'

const it = base.extend<{ readonly device: Person }>({
  device: async ({ service }, use) => use(stranger(service)),
})

const begin = (person: Person, user_code: string) => person.post('/api/oauth/begin_authorization', { user_code })

describe('57. a device', () => {
  it('gets codes, waits in RFC terms, and gets its tokens exactly once', async ({ service, device, ann }) => {
    const { status, body } = await startDevice(device, SCOPE)
    const waiting = await poll(device, body.device_code)
    const decided = await decideDevice(ann, body.user_code, true)
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(device, body.device_code)))

    assert.deepEqual([status, body.expires_in, body.interval], [200, 600, 5])
    assert.equal(body.verification_uri, `${service.config.baseUrl}/oauth/authorize`)
    assert.equal(body.verification_uri_complete, `${body.verification_uri}?user_code=${body.user_code}`)
    assert.deepEqual(oauthError(waiting), [400, 'authorization_pending'])
    assert.deepEqual(decided.body, {})
    const won = answers.filter((answer) => answer.status === 200)
    assert.equal(won.length, 1)
    assert.equal(answers.filter((answer) => answer.body.error === 'invalid_grant').length, 19)
    assert.equal(await userBehind(ann, won[0]?.body.access_token ?? ''), ann.id)
  })

  it('that polls too fast must slow down, by 5 s each time', async ({ service, device }) => {
    const { device_code } = (await startDevice(device, SCOPE)).body

    for (const [seconds, error] of [
      [0, 'authorization_pending'],
      [4, 'slow_down'],
      [9, 'slow_down'],
      [15, 'authorization_pending'],
      [14, 'slow_down'],
      [20, 'authorization_pending'],
    ] as const) {
      service.clock.advance({ seconds })
      assert.equal((await poll(device, device_code)).body.error, error, `after ${seconds} s`)
    }
  })

  it('learns when the user denies, and when no decision is made in time', async ({ service, device, ann }) => {
    const denied = (await startDevice(device, SCOPE)).body
    const forgotten = (await startDevice(device, SCOPE)).body

    await decideDevice(ann, denied.user_code, false)
    const afterNo = await poll(device, denied.device_code)
    service.clock.advance({ seconds: 600 })
    const afterTime = await poll(device, forgotten.device_code)

    assert.deepEqual([afterNo, afterTime].map(oauthError), [
      [400, 'access_denied'],
      [400, 'expired_token'],
    ])
  })

  it('must try again later if no user code is free, instead of the service retrying forever', async ({
    service,
    device,
  }) => {
    await keepNoRequest(service)

    const { status, headers } = await startDevice(device, SCOPE)

    assert.equal(status, 503)
    assert.ok(headers.get('retry-after'))
  })

  it.for([
    ['an unknown scope', { scope: 'a:b:read' }, 'This server does not have the scope a:b:read.'],
    ['no scope', {}, 'Send at least one scope.'],
  ] as const)('with %s is refused', async ([, fields, description], { device }) => {
    const refused = await postForm(device, START, { client_id: 'cli-client', ...fields })

    assert.deepEqual([...oauthError(refused), refused.body.error_description], [400, 'invalid_scope', description])
  })

  it('with an unknown client is refused, and so is an invented device code', async ({ device }) => {
    const otherClient = await postForm(device, START, { client_id: 'other', scope: SCOPE })
    const invented = await poll(device, 'ghd_invented')

    assert.deepEqual(oauthError(otherClient), [401, 'invalid_client'])
    assert.deepEqual(oauthError(invented), [400, 'invalid_grant'])
  })
})

describe('58. a user code', () => {
  it('has eight consonants that look like nothing else, and a dash', async ({ device }) => {
    const { user_code } = (await startDevice(device, SCOPE)).body

    assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  })

  it('can be typed in any case, with or without the dash, or come with the link, and is shown for comparison', async ({
    service,
    device,
    ann,
  }) => {
    const { user_code, verification_uri_complete } = (await startDevice(device, SCOPE)).body
    const typed = user_code.toLowerCase()
    const fromLink = new URL(verification_uri_complete).searchParams.get('user_code') ?? ''

    for (const code of [typed.replace('-', ''), typed.replace('-', ' '), fromLink]) {
      const begun = await begin(ann, code)
      const { body } = await ann.post('/api/oauth/get_authorization', begun.body)
      assert.deepEqual(
        [begun.status, body.user_code, body.ip, body.created_at],
        [200, user_code, '127.0.0.1', service.clock.now()],
      )
    }
  })

  it('cannot be guessed: after 20 tries in ten minutes none is checked, right or wrong', async ({
    service,
    device,
    ann,
    ben,
  }) => {
    const { user_code } = (await startDevice(device, SCOPE)).body

    const guesses = await Promise.all(Array.from({ length: 30 }, () => begin(ann, 'BBBB-BBBB')))
    const right = await begin(ann, user_code)
    const bens = await begin(ben, user_code)

    assert.equal(guesses.filter(({ status }) => status === 404).length, 20)
    assert.deepEqual(guesses.filter(({ status }) => status !== 404).map(refusal), Array(10).fill(LIMITED))
    assert.deepEqual([right.status, right.headers.get('retry-after'), bens.status], [429, '600', 200])
    service.clock.advance({ minutes: 10 })
    assert.equal((await begin(ann, 'BBBB-BBBB')).status, 404)
  })

  it('checklist 95: shows a short text in plain characters about the program that asks', async ({ device, ann }) => {
    const form = { client_id: 'cli-client', scope: 'account:profile:read' }
    const program = { 'user-agent': `curl/8 \u00a0\u00ff${'please approve '.repeat(30)}` }
    const started = await postForm(device, START, form, program)

    const { request_id } = (await begin(ann, started.body.user_code)).body
    const { body } = await ann.post('/api/oauth/get_authorization', { request_id })

    assert.match(body.user_agent, /^curl\/8 please approve [ -~]*$/)
    assert.equal(body.user_agent.length, 160)
  })
})

const LIMITED = [429, 'RATE_LIMITED']

/** Each row is dropped without an error, as if its user code were taken. */
async function keepNoRequest({ config, platform: { meta } }: Service): Promise<void> {
  const statements = config.databaseUrl?.startsWith('postgres')
    ? [
        `create function nothing() returns trigger language plpgsql as 'begin return null; end'`,
        'create trigger dropped before insert on authorization_request for each row execute function nothing()',
      ]
    : ['create trigger dropped before insert on authorization_request begin select raise(ignore); end']
  for (const statement of statements) await sql.raw(statement).execute(meta)
}

describe('a device request that a session has begun', () => {
  const decide = (person: Person, request_id: string) =>
    person.post('/api/oauth/decide_authorization', { request_id, approve: true })

  it('belongs to that session', async ({ service, device, ann, ben }) => {
    const other = inNewBrowser(service, ann)
    await other.signIn()
    const { user_code } = (await startDevice(device, SCOPE)).body

    const { request_id } = (await begin(ann, user_code)).body

    for (const person of [other, ben]) {
      assertRefused(await begin(person, user_code), 'NOT_FOUND')
      assertRefused(await person.post('/api/oauth/get_authorization', { request_id }), 'NOT_FOUND')
      assertRefused(await decide(person, request_id), 'NOT_FOUND')
    }
    assert.equal((await begin(ann, user_code)).body.request_id, request_id)
    assert.equal((await decide(ann, request_id)).status, 200)
  })

  it('ends with the session, and the device is refused', async ({ device, ann }) => {
    const { user_code, device_code } = (await startDevice(device, SCOPE)).body
    const { request_id } = (await begin(ann, user_code)).body

    await ann.post('/api/auth/sign-out')
    await ann.signIn()

    assertRefused(await decide(ann, request_id), 'NOT_FOUND')
    assertRefused(await begin(ann, user_code), 'NOT_FOUND')
    assert.deepEqual(oauthError(await poll(device, device_code)), [400, 'access_denied'])
  })

  it('ends with the session even if it is begun or decided at the same moment', async ({ service, device, ann }) => {
    const other = inNewBrowser(service, ann)
    await other.signIn()
    const codes = await Promise.all(Array.from({ length: 10 }, async () => (await startDevice(device, SCOPE)).body))
    const early = await Promise.all(codes.slice(0, 5).map(({ user_code }) => begin(ann, user_code)))

    const [begun, decided] = await Promise.all([
      Promise.all(codes.slice(5).map(({ user_code }) => begin(ann, user_code))),
      Promise.all(early.map(({ body }) => decide(ann, body.request_id))),
      other.post('/api/auth/revoke-sessions'),
    ])
    await ann.signIn()

    for (const { body } of begun.filter(({ status }) => status === 200))
      assertRefused(await decide(ann, body.request_id), 'NOT_FOUND')
    for (const [i, { status }] of decided.entries())
      if (status !== 200) assertRefused(await decide(ann, early[i]?.body.request_id), 'NOT_FOUND')
    for (const { device_code } of codes) assert.notEqual((await poll(device, device_code)).status, 200)
  })
})
