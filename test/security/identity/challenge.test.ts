import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { startHttpServer } from '../../processes/http-server.ts'
import { assertRefused } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { it as base } from '../../service/it.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { REQUEST_RESET, SEND } from '../support/codes.ts'
import { asImported, fiveBrowsers } from '../support/imported.ts'

const eve = { email: 'eve@example.com', password: 'an owl under the roof', name: 'Eve' }
const ann = { email: 'ann@example.com', password: 'a long walk in the rain' }

const guarded = [
  ['/api/auth/sign-up/email', eve],
  ['/api/auth/sign-in/email', ann],
  [REQUEST_RESET, { email: ann.email }],
] as const

const answering = (response: string) => ({ 'x-captcha-response': response })

/** The pair of keys that the provider publishes for tests, and what passes with it. */
const PUBLISHED = {
  CHALLENGE_SITE_KEY: '1x00000000000000000000AA',
  CHALLENGE_SECRET: '1x0000000000000000000000000000000AA',
}
const PASSING = answering('XXXX.DUMMY.TOKEN.XXXX')

interface Fixtures {
  readonly service: Service
  /** Accepts responses that contain "right". */
  readonly verifier: Awaited<ReturnType<typeof startHttpServer>>
  readonly keys: Readonly<Record<string, string>> | undefined
  readonly visitor: Person
}

/** The challenge is on, after Ann has signed up. */
const it = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  verifier: async ({}, use) => {
    const server = await startHttpServer(({ body }) => ({
      body: { success: body.includes('right'), 'error-codes': [] },
    }))
    let isStopped = false
    const stop = async () => {
      if (!isStopped) await server.stop()
      isStopped = true
    }
    await use({ ...server, stop })
    await stop()
  },
  keys: undefined,
  service: async ({ verifier, keys }, use) => {
    const CHALLENGE_VERIFY_URL = `${verifier.url}/verify`
    const env = keys ?? { CHALLENGE_SITE_KEY: 'site', CHALLENGE_SECRET: 'secret', CHALLENGE_VERIFY_URL }
    await using service = await startService({ env })
    await people(service)
    await changeSettings(service, 'email', { provider: 'smtp' })
    await changeSettings(service, 'authentication', { challenge_enabled: true })
    await use(service)
  },
  visitor: async ({ service }, use) => use(stranger(service)),
})

describe('32. with the challenge on', () => {
  for (const [path, body] of guarded) {
    it(`${path} needs a new right response, and the verifier`, async ({ visitor, verifier }) => {
      const attempt = (response: string) => visitor.post(path, body, answering(response))

      assertRefused(await visitor.post(path, body), 'CHALLENGE_REQUIRED')
      assertRefused(await attempt('not this'), 'CHALLENGE_FAILED')
      assert.equal((await attempt('the right one')).status, 200)
      const again = await Promise.all(
        guarded.map(([other, sent]) => visitor.post(other, sent, answering('the right one'))),
      )
      for (const answer of again) assertRefused(answer, 'CHALLENGE_FAILED')
      await verifier.stop()
      assertRefused(await attempt('another right one'), 'CHALLENGE_FAILED')
    })
  }

  it('everything else is left alone', async ({ visitor }) => {
    const sent = { email: ann.email, type: 'email-verification' }

    assert.equal((await visitor.post(SEND, sent)).status, 200)
  })

  it('each of five sign-ins of an imported user at once is checked once', async ({ service }) => {
    const browsers = await fiveBrowsers(service, await asImported(service, ann))

    const answers = await Promise.all(browsers.map((browser, i) => browser.signIn(answering(`right response ${i}`))))

    for (const { status } of answers) assert.equal(status, 200)
  })
})

describe('the challenge', () => {
  it.override('keys', PUBLISHED)

  it('with the published keys takes their response; a failed one starts no cooldown', async ({ visitor }) => {
    const [[path]] = guarded

    assertRefused(await visitor.post(path, eve, answering('wrong')), 'CHALLENGE_FAILED')
    assert.equal((await visitor.post(path, eve, PASSING)).status, 200)
  })

  it('is described in OpenAPI for the routes that ask for it, and no others', async ({ visitor }) => {
    const { body } = await visitor.get('/api/openapi.json')

    const described = Object.entries<{ post?: { parameters?: readonly { name: string }[] } }>(body.paths)
      .filter(([, { post }]) => post?.parameters?.some(({ name }) => name === 'x-captcha-response'))
      .map(([path]) => path)
    assert.deepEqual(described.toSorted(), guarded.map(([path]) => path).toSorted())
  })
})

describe('the challenge without keys in the deployment', () => {
  it.override('keys', { APP_DOMAIN: 'id.example.com' })

  it('refuses everything', async ({ visitor }) => {
    assertRefused(await visitor.post('/api/auth/sign-in/email', ann, PASSING), 'CHALLENGE_FAILED')
  })
})
