import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { createVerifierAt } from '../../../packages/server/caching-verifier.ts'
import type { Installation, Life } from '../../processes/installation.ts'
import { it as ofProgram } from '../../processes/it.ts'
import { bearer, register } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'
import { adaptersWith } from '../../service/verifier/adapters.ts'
import { FAULTS, hostileProxy } from '../../service/verifier/hostile-proxy.ts'
import { AdvancedClock, Told } from '../../service/verifier/told.ts'

type Proxy = Awaited<ReturnType<typeof hostileProxy>>

interface Service {
  readonly program: Installation
  readonly life: Life
  readonly proxy: Proxy
  /** Of an application that can follow what is revoked. */
  readonly credentials: { readonly clientId: string; readonly clientSecret: string }
}

/** How the service fails, and how it comes back. */
const OUTAGES: Readonly<Record<string, (service: Service) => { down(): unknown; back(): unknown }>> = {
  frozen: ({ life }) => ({ down: () => life.child.kill('SIGSTOP'), back: () => life.child.kill('SIGCONT') }),
  dead: ({ program, life }) => ({
    down: () => life.end('SIGKILL'),
    back: () => program.serve({ PORT: String(life.port) }),
  }),
  'so slow that requests stop waiting': ({ proxy }) => behind(proxy, () => undefined),
  'behind a proxy that answers 502': ({ proxy }) => behind(proxy, FAULTS['a bad gateway']),
}

function behind(proxy: Proxy, does: (typeof FAULTS)[keyof typeof FAULTS]) {
  return {
    down: () => {
      proxy.fault = { paths: /./, does }
    },
    back: () => {
      proxy.fault = undefined
    },
  }
}

const it = ofProgram.extend<{ service: Service }>({
  service: async ({ program }, use) => {
    const administrator = await program.prepare()
    const life = await program.serve()
    const { client_id, client_secret = '' } = await register(await life.signedIn(administrator), { kind: 'service' })
    await using proxy = await hostileProxy(life.url)
    await use({ program, life, proxy, credentials: { clientId: client_id, clientSecret: client_secret } })
  },
})

describe.concurrent('a product whose Gatehouse is', () => {
  it.for(Object.entries(OUTAGES))(
    '%s: goes on in every framework for whom it knows, and for nobody else, until it is back',
    async ([, of], { service }) => {
      const { life, proxy, credentials } = service
      const outage = of(service)
      const clock = new AdvancedClock()
      const told = new Told()
      const verifier = createVerifierAt(
        {
          ...{ issuer: life.url, address: proxy.url, ...credentials },
          ...{ outage: { seconds: 3_600 }, ...told.callbacks },
        },
        clock,
      )
      await using products = await adaptersWith(verifier)
      const everywhere = (person: Person) =>
        Promise.all(Object.values(products.ask).map((ask) => ask(bearer(person.token))))
      const [ann, ben, eve] = await Promise.all([life.signedUp('ann'), life.signedUp('ben'), life.signedUp('eve')])
      await told.next('following')
      const before = await Promise.all([ann, ben].map(everywhere))
      await ben.post('/api/auth/sign-out')
      await refused(ben, everywhere)

      await outage.down()
      clock.steadyAdvance += 6_000
      await told.next('outage')
      const during = await Promise.all([ann, ben, eve].map(everywhere))
      await outage.back()
      await told.next('contact')
      const after = await Promise.all([ann, eve].map(everywhere))
      await ann.post('/api/auth/sign-out')
      await refused(ann, everywhere)

      verifier.close()
      assert.deepEqual(before, [inAll(ann.email), inAll(ben.email)])
      assert.deepEqual(during[0], inAll(`${ann.email} (outage)`))
      assert.ok(during[1]?.every((status) => status === '401' || status === '503'))
      assert.deepEqual(during[2], inAll('503'))
      assert.deepEqual(after, [inAll(ann.email), inAll(eve.email)])
    },
  )
})

function inAll(words: string): readonly string[] {
  return ['express', 'fastify', 'hono', 'next'].map(() => words)
}

/** Resolves once every framework refuses the person. */
async function refused(person: Person, everywhere: (person: Person) => Promise<readonly string[]>): Promise<void> {
  while (!(await everywhere(person)).every((status) => status === '401'));
}
