import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe } from 'vitest'
import { decideDevice, poll, startDevice, userBehind } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'

const SCOPE = 'operations:notifications:read'

describe('a device', () => {
  it('gets codes, waits, and gets its tokens exactly once', async ({ service, ann }) => {
    const device = stranger(service)

    const { status, body } = await startDevice(device, SCOPE)
    const waiting = await poll(device, body.device_code)
    const decided = await decideDevice(ann, body.user_code, true)
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(device, body.device_code)))

    assert.equal(status, 200)
    assert.deepEqual([body.expires_in, body.interval], [600, 5])
    assert.equal(body.verification_uri, `${service.config.baseUrl}/oauth/authorize`)
    assert.equal(body.verification_uri_complete, `${body.verification_uri}?user_code=${body.user_code}`)
    assert.deepEqual([waiting.status, waiting.body.error], [400, 'authorization_pending'])
    assert.deepEqual(decided.body, {})
    const won = answers.filter((answer) => answer.status === 200)
    assert.equal(won.length, 1)
    assert.equal(answers.filter((answer) => answer.body.error === 'invalid_grant').length, 19)
    assert.equal(await userBehind(ann, won[0]?.body.access_token ?? ''), ann.id)
  })

  it('that polls too fast must slow down, by 5 s each time', async ({ service }) => {
    const device = stranger(service)
    const { device_code } = (await startDevice(device, SCOPE)).body
    const errors: (string | undefined)[] = []
    const pollAfter = async (seconds: number) => {
      service.clock.advance({ seconds })
      errors.push((await poll(device, device_code)).body.error)
    }

    for (const seconds of [0, 4, 9, 15, 14, 20]) await pollAfter(seconds)

    assert.deepEqual(errors, [
      'authorization_pending',
      'slow_down',
      'slow_down',
      'authorization_pending',
      'slow_down',
      'authorization_pending',
    ])
  })

  it('learns when the user denies, and when no decision is made in time', async ({ service, ann }) => {
    const device = stranger(service)
    const denied = (await startDevice(device, SCOPE)).body
    const forgotten = (await startDevice(device, SCOPE)).body

    await decideDevice(ann, denied.user_code, false)
    const afterNo = await poll(device, denied.device_code)
    service.clock.advance({ seconds: 600 })
    const afterTime = await poll(device, forgotten.device_code)

    assert.deepEqual([afterNo.status, afterNo.body.error], [400, 'access_denied'])
    assert.deepEqual([afterTime.status, afterTime.body.error], [400, 'expired_token'])
  })

  it('must try again later if no user code is free, instead of the service retrying forever', async ({
    service,
  }) => {
    await keepNoRequest(service)

    const { status, headers } = await startDevice(stranger(service), SCOPE)

    assert.equal(status, 503)
    assert.ok(headers.get('retry-after'))
  })

  it('with an unknown scope, no scope, or an unknown client is refused', async ({ service }) => {
    const device = stranger(service)
    const start = (form: Record<string, string>) =>
      device.send('/api/oauth/device_authorization', { method: 'POST', body: new URLSearchParams(form) })

    const unknownScope = await start({ client_id: 'cli-client', scope: 'a:b:read' })
    const noScope = await start({ client_id: 'cli-client' })
    const otherClient = await start({ client_id: 'other', scope: SCOPE })

    assert.deepEqual([unknownScope.status, unknownScope.body.error], [400, 'invalid_scope'])
    assert.deepEqual([noScope.status, noScope.body.error], [400, 'invalid_scope'])
    assert.equal(unknownScope.body.error_description, 'This server does not have the scope a:b:read.')
    assert.equal(noScope.body.error_description, 'Send at least one scope.')
    assert.deepEqual([otherClient.status, otherClient.body.error], [401, 'invalid_client'])
  })

  it('with an invented device code gets invalid_grant', async ({ service }) => {
    const { status, body } = await poll(stranger(service), 'ghd_invented')

    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  })
})

describe('a user code', () => {
  it('has eight consonants that look like nothing else, and a dash', async ({ service }) => {
    const { user_code } = (await startDevice(stranger(service), SCOPE)).body

    assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  })

  it('can be typed in any case, with or without the dash, and is shown for comparison', async ({
    service,
    ann,
  }) => {
    const { user_code } = (await startDevice(stranger(service), SCOPE)).body

    const typed = user_code.toLowerCase().replace('-', ' ')
    const begun = await ann.post('/api/oauth/begin_authorization', { user_code: typed })
    const shown = await ann.post('/api/oauth/get_authorization', begun.body)

    assert.equal(begun.status, 200)
    assert.equal(shown.body.user_code, user_code)
    assert.equal(shown.body.ip, '127.0.0.1')
    assert.equal(shown.body.created_at, service.clock.now())
  })

  it('cannot be guessed: after 20 tries in ten minutes none is checked, right or wrong', async ({
    service,
    ann,
    ben,
  }) => {
    const { user_code } = (await startDevice(stranger(service), SCOPE)).body
    const guess = (code: string) => ann.post('/api/oauth/begin_authorization', { user_code: code })

    const guesses = await Promise.all(Array.from({ length: 30 }, () => guess('BBBB-BBBB')))
    const right = await guess(user_code)
    const bens = await ben.post('/api/oauth/begin_authorization', { user_code })

    assert.equal(guesses.filter(({ status }) => status === 404).length, 20)
    assert.equal(guesses.filter(({ body }) => body.code === 'RATE_LIMITED').length, 10)
    assert.deepEqual([right.status, right.headers.get('retry-after')], [429, '600'])
    assert.equal(bens.status, 200)
    service.clock.advance({ minutes: 10 })
    assert.equal((await guess('BBBB-BBBB')).status, 404)
  })

  it('checklist 95: shows a short text in plain characters about the program that asks', async ({
    service,
    ann,
  }) => {
    const started = await stranger(service).send<{ user_code: string }>('/api/oauth/device_authorization', {
      method: 'POST',
      headers: { 'user-agent': `curl/8 \u00a0\u00ff${'please approve '.repeat(30)}` },
      body: new URLSearchParams({ client_id: 'cli-client', scope: 'account:profile:read' }),
    })

    const begun = await ann.post('/api/oauth/begin_authorization', { user_code: started.body.user_code })
    const { body } = await ann.post('/api/oauth/get_authorization', { request_id: begun.body.request_id })

    assert.match(body.user_agent, /^curl\/8 please approve [ -~]*$/)
    assert.ok(body.user_agent.length <= 160)
  })
})

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
