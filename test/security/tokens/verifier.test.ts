import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { createVerifierAt } from '../../../packages/server/caching-verifier.ts'
import { bearer, register } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { it as ofToday } from '../../service/today.ts'
import { FAULTS, hostileProxy } from '../../service/verifier/hostile-proxy.ts'
import { AdvancedClock, Told } from '../../service/verifier/told.ts'

interface Fixtures {
  /**
   * Runs on today's clock, since a verifier elsewhere has the machine's; has an application that can follow
   * revocations.
   */
  readonly gatehouse: {
    readonly service: Service
    readonly ann: Person
    readonly options: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }
  }
  readonly proxy: Awaited<ReturnType<typeof hostileProxy>>
}

const it = ofToday.extend<Fixtures>({
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
        return checked.ok ? 'passes' : checked.code
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
      assert.deepEqual([ended, followed], ['UNAUTHORIZED', 'UNAUTHORIZED'])
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
        assert.deepEqual(checked, { ok: false, code: 'UNAVAILABLE', message: 'Try again in a moment.' }, what)
      }
    }
    verifier.close()
  })
})
