import assert from 'node:assert/strict'
import { randomBytes, scryptSync } from 'node:crypto'
import { describe } from 'vitest'
import { startHttpServer } from '../../../test/processes/http-server.ts'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { it } from '../../../test/service/it.ts'
import { Person, people, stranger } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'

const PASSING = { 'x-captcha-response': 'XXXX.DUMMY.TOKEN.XXXX' }
const PUBLISHED_PAIR = {
  CHALLENGE_SITE_KEY: '1x00000000000000000000AA',
  CHALLENGE_SECRET: '1x0000000000000000000000000000000AA',
}
const eve = { email: 'eve@example.com', password: 'an owl under the roof', name: 'Eve' }
const ann = { email: 'ann@example.com', password: 'a long walk in the rain' }

const guarded = [
  ['/api/auth/sign-up/email', eve],
  ['/api/auth/sign-in/email', ann],
  ['/api/auth/email-otp/request-password-reset', { email: ann.email }],
] as const

describe('the challenge check, when switched on,', () => {
  it('is described in OpenAPI for the routes that ask for it, and no others', async ({ service }) => {
    const { body } = await stranger(service).get('/api/openapi.json')

    const described = Object.entries<{ post?: { parameters?: readonly { name: string }[] } }>(body.paths)
      .filter(([, { post }]) => post?.parameters?.some(({ name }) => name === 'x-captcha-response'))
      .map(([path]) => path)
    assert.deepEqual(described.toSorted(), guarded.map(([path]) => path).toSorted())
  })

  for (const [path, body] of guarded) {
    it(`${path}: without a response is CHALLENGE_REQUIRED, with a wrong one CHALLENGE_FAILED`, async () => {
      await using service = await guardedService(PUBLISHED_PAIR)
      const carl = stranger(service)

      const without = await carl.post(path, body)
      const wrong = await carl.post(path, body, { 'x-captcha-response': 'wrong' })
      const right = await carl.post(path, body, PASSING)

      assert.deepEqual([without.status, without.body.code], [400, 'CHALLENGE_REQUIRED'])
      assert.deepEqual([wrong.status, wrong.body.code], [403, 'CHALLENGE_FAILED'])
      assert.equal(right.status, 200, JSON.stringify(right.body))
    })

    it(`${path}: a response counts once, also for the other paths`, async () => {
      await using verifier = await startVerifier()
      await using service = await guardedService(verifier.env)
      const carl = stranger(service)
      const response = { 'x-captcha-response': 'a response of the real kind' }

      const first = await carl.post(path, body, response)
      const again = await Promise.all(guarded.map((other) => carl.post(other[0], other[1], response)))

      assert.equal(first.status, 200, JSON.stringify(first.body))
      for (const { status, body } of again) assert.deepEqual([status, body.code], [403, 'CHALLENGE_FAILED'])
    })

    it(`${path}: is refused while the verifier is down`, async () => {
      await using verifier = await startVerifier()
      await using service = await guardedService(verifier.env)
      await verifier.stop()

      const answer = await stranger(service).post(path, body, { 'x-captcha-response': 'whatever' })

      assert.deepEqual([answer.status, answer.body.code], [403, 'CHALLENGE_FAILED'])
    })
  }

  it('a failed challenge starts no cooldown', async () => {
    await using service = await guardedService(PUBLISHED_PAIR)
    const carl = stranger(service)
    await carl.post('/api/auth/sign-up/email', eve, { 'x-captcha-response': 'wrong' })

    assert.equal((await carl.post('/api/auth/sign-up/email', eve, PASSING)).status, 200)
  })

  it('leaves everything else alone', async () => {
    await using service = await guardedService(PUBLISHED_PAIR)

    const answer = await stranger(service).post('/api/auth/email-otp/send-verification-otp', {
      email: ann.email,
      type: 'email-verification',
    })

    assert.equal(answer.status, 200)
  })

  it('checks each response once when an imported user signs in five times at the same moment', async () => {
    await using verifier = await startVerifier()
    await using service = await guardedService(verifier.env)
    const salt = randomBytes(16).toString('hex')
    const key = scryptSync(ann.password, salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 })
    await service.platform.meta
      .updateTable('account')
      .set({ password_hash: `${salt}:${key.toString('hex')}` })
      .where('user_id', 'in', (eb) => eb.selectFrom('user').select('id').where('email', '=', ann.email))
      .execute()
    const browsers = Array.from({ length: 5 }, () => new Person(service, ann.email, ann.password))

    const answers = await Promise.all(
      browsers.map((browser, i) => browser.signIn({ 'x-captcha-response': `response ${i}` })),
    )

    assert.deepEqual(
      answers.map(({ status }) => status),
      browsers.map(() => 200),
    )
  })

  it('without keys in the deployment refuses everything', async () => {
    await using service = await guardedService({ APP_DOMAIN: 'id.example.com' })

    const answer = await stranger(service).post('/api/auth/sign-in/email', ann, PASSING)

    assert.deepEqual([answer.status, answer.body.code], [403, 'CHALLENGE_FAILED'])
  })
})

async function guardedService(env: Readonly<Record<string, string>>) {
  const service = await startService({ env })
  await people(service)
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { challenge_enabled: true })
  return service
}

/** Says yes to everything. */
async function startVerifier() {
  const server = await startHttpServer(() => ({ body: { success: true, 'error-codes': [] } }))
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await server.stop()
    isStopped = true
  }
  return {
    env: {
      CHALLENGE_SITE_KEY: 'site',
      CHALLENGE_SECRET: 'secret',
      CHALLENGE_VERIFY_URL: `${server.url}/verify`,
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
