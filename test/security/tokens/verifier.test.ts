import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe } from 'vitest'
import { createVerifierAt } from '../../../packages/server/caching-verifier.ts'
import type { Clock } from '../../../packages/server/options.ts'
import { bearer, register } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import type { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { it as ofToday } from '../../service/today.ts'
import { FAULTS, hostileProxy } from '../../service/verifier/hostile-proxy.ts'
import { findNode20, type OnPlatform, onNode, onWebStandards } from '../../service/verifier/platforms.ts'

const node20 = findNode20()
const PLATFORMS = [
  { name: 'Node 20 (needs Node 20)', isHere: node20, start: onNode.bind(undefined, node20 ?? '') },
  { name: 'web standards alone', isHere: true, start: onWebStandards },
] as const
const PATIENCE_MILLISECONDS = 120_000

interface Given {
  /** Of today, since a verifier elsewhere has the machine's clock; and an application that can follow revocations. */
  readonly gatehouse: {
    readonly service: Service
    readonly ann: Person
    readonly options: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }
  }
  readonly proxy: Awaited<ReturnType<typeof hostileProxy>>
}

const it = ofToday.extend<Given>({
  gatehouse: async ({ service, server, persons: { ann, administrator } }, use) => {
    const { client_id, client_secret = '' } = await register(administrator, { kind: 'service' })
    await service.runJob('events')
    await use({
      service,
      ann,
      options: { issuer: server.url, clientId: client_id, clientSecret: client_secret },
    })
  },
  proxy: async ({ gatehouse }, use) => {
    await using proxy = await hostileProxy(gatehouse.options.issuer)
    await use(proxy)
  },
})

for (const { name, isHere, start } of PLATFORMS)
  describe.skipIf(!isHere)(`gatehouse/server on ${name}`, () => {
    it('knows sessions, grants and signed tokens, and refuses each once it has ended', async ({
      gatehouse,
    }) => {
      const { ann, service, options } = gatehouse
      const verifier = await start(options)
      const tool = await grantFor(ann, 'operations:notifications:read')
      const signed = await ann.get('/api/auth/token')
      const tokens = [ann.token, tool.tokens.access_token, signed.body.token]
      const credentials = tokens.map((token) => `Bearer ${token}`)

      const before = await Promise.all(credentials.map((one) => verifier.check(one)))
      await ann.post('/api/auth/revoke-sessions', { tools: true })
      await service.runJob('events')
      const after = await Promise.all(credentials.map((one) => refused(verifier, one)))

      await verifier.close()
      assert.deepEqual(before, [ann.id, ann.id, ann.id])
      assert.deepEqual(after, ['unauthorized', 'unauthorized', 'unauthorized'])
    })

    it('refuses what is not a token of ours, whatever it looks like, and never throws', async ({
      gatehouse,
    }) => {
      const { ann, options } = gatehouse
      const verifier = await start(options)
      const { token } = (await ann.get('/api/auth/token')).body

      for (const [what, authorization] of Object.entries(forged(token)))
        assert.equal(await verifier.check(authorization), 'unauthorized', what)
      assert.equal(await verifier.check(`Bearer ${token}`), ann.id)
      await verifier.close()
    })
  })

describe.concurrent('gatehouse/server behind a proxy at fault', () => {
  it.for(Object.entries(FAULTS))(
    'that gives %s: refuses, asks, and follows again once it is honest',
    async ([, does], { gatehouse, proxy }) => {
      const { ann, service, options } = gatehouse
      const clock = new AdvancedClock()
      const told = new Told()
      const verifier = createVerifierAt({ ...options, address: proxy.url, onConnection: told.note }, clock)
      const check = async () => {
        const checked = await verifier.check({ headers: bearer(ann.token) })
        return checked.caller ? 'passes' : checked.refused
      }
      const asks = () => proxy.asked.filter((path) => path === '/api/verify').length
      await told.next('following')

      const known = await check()
      proxy.fault = { paths: /jwks|revocations/, does }
      await told.next('cut off')
      clock.steadyAdvance += 6_000
      const asksBefore = asks()
      const asked = await check()
      const asksAfter = asks()
      await ann.post('/api/auth/sign-out')
      const ended = await check()
      proxy.fault = undefined
      await service.runJob('events')
      await told.next('following')
      const followed = await check()

      verifier.close()
      assert.deepEqual([known, asked, asksAfter - asksBefore], ['passes', 'passes', 1])
      assert.deepEqual([ended, followed], ['unauthorized', 'unauthorized'])
    },
  )

  it('refuses everyone while the service does not respond properly, and returns the reason', async ({
    gatehouse,
    proxy,
  }) => {
    const { ann, options } = gatehouse
    const verifier = createVerifierAt({ issuer: options.issuer, address: proxy.url }, new AdvancedClock())
    const signed = (await ann.get('/api/auth/token')).body.token

    for (const [what, does] of Object.entries(FAULTS)) {
      proxy.fault = { paths: /./, does }
      for (const token of [ann.token, signed]) {
        const checked = await verifier.check({ headers: bearer(token) })
        assert.deepEqual(checked, { caller: undefined, refused: 'unavailable' }, what)
      }
    }
    verifier.close()
  })
})

/** It arrives through the feed. */
async function refused(verifier: OnPlatform, authorization: string): Promise<string> {
  const giveUpAt = performance.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const answer = await verifier.check(authorization)
    if (answer === 'unauthorized' || performance.now() > giveUpAt) return answer
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function forged(token: string): Readonly<Record<string, string>> {
  const [head = '', body = '', tail = ''] = token.split('.')
  const claims = decoded(body)
  const kid = decoded(head).kid
  const data = `${encoded({ alg: 'HS256', kid, typ: 'JWT' })}.${body}`
  const signed = (changes: object) => `Bearer ${head}.${encoded({ ...claims, ...changes })}.${tail}`
  return {
    'alg none': `Bearer ${encoded({ alg: 'none', kid })}.${body}.`,
    'alg none, signed': `Bearer ${encoded({ alg: 'none', kid })}.${body}.${tail}`,
    'the key id as a secret': `Bearer ${data}.${createHmac('sha256', String(kid)).update(data).digest('base64url')}`,
    'another algorithm': `Bearer ${encoded({ alg: 'RS256', kid })}.${body}.${tail}`,
    'another key': `Bearer ${encoded({ alg: 'EdDSA', kid: 'mine' })}.${body}.${tail}`,
    'another user': signed({ sub: 'eve' }),
    'another issuer': signed({ iss: 'https://evil.example' }),
    'another audience': signed({ aud: 'shop' }),
    ended: signed({ exp: 1 }),
    'no end': signed({ exp: 9e99 }),
    huge: `Bearer ${head}.${'A'.repeat(1_000_000)}.${tail}`,
    'a session that is not': `Bearer ghs_${'A'.repeat(43)}`,
    'half a session': 'Bearer ghs_',
    'no JSON': `Bearer ${head}.AAAA.${tail}`,
    'null for claims': `Bearer ${head}.${encoded(null)}.${tail}`,
    'a list for a header': `Bearer ${encoded([])}.${body}.${tail}`,
    'text that is not text': 'Bearer \u{1f600}.\u0000.\ud800',
    dots: `Bearer ${'.'.repeat(4_000)}`,
    nothing: 'Bearer ',
    'another scheme': `Basic ${token}`,
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
}

/** The machine's clock, and what a test adds. */
class AdvancedClock implements Clock {
  steadyAdvance = 0
  wall = () => Date.now()
  steady = () => performance.now() + this.steadyAdvance
}

/** What the verifier says of its connection, in order. */
class Told {
  readonly #states: string[] = []
  #arrived = Promise.withResolvers<void>()

  readonly note = (state: string): void => {
    this.#states.push(state)
    this.#arrived.resolve()
  }

  /** The first time after those that were awaited before. */
  async next(state: string): Promise<void> {
    for (;;) {
      const told = this.#states.shift()
      if (told === state) return
      if (told !== undefined) continue
      this.#arrived = Promise.withResolvers()
      await this.#arrived.promise
    }
  }
}
