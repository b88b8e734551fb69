import { onTestFinished, test } from 'vitest'
import { createVerifierAt } from '../../../packages/server/caching-verifier.ts'
import type { Clock, VerifierOptions } from '../../../packages/server/options.ts'
import type { Verifier } from '../../../packages/server/verifier.ts'
import { FakeGatehouse, ISSUER, opaque } from './fake-gatehouse.ts'

export const CREDENTIALS = { clientId: 'shop', clientSecret: 'secret' }

interface Fixtures {
  readonly gatehouse: FakeGatehouse
  /** Has no client credentials: it asks each time. */
  readonly asking: Verifier
  /** Has client credentials, once it follows the feed of revocations. */
  readonly following: Verifier
}

/** A test of a verifier in a product, beside a Gatehouse that is at fault when the test says so. */
export const it = test.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  gatehouse: async ({}, use) => use(new FakeGatehouse()),
  asking: async ({ gatehouse }, use) => use(verifierOf(gatehouse, {})),
  following: async ({ gatehouse }, use) => use(await followingOf(gatehouse)),
})

export function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } }
}

/** The request of a user, with the opaque token of a session. */
export const ANN = bearer(opaque('ann'))

export function verifierOf(
  gatehouse: FakeGatehouse,
  options: Partial<VerifierOptions>,
  clock: Clock = gatehouse.clock,
): Verifier {
  const verifier = createVerifierAt({ issuer: ISSUER, fetch: gatehouse.fetch, ...options }, clock)
  onTestFinished(() => verifier.close())
  return verifier
}

export async function followingOf(gatehouse: FakeGatehouse, clock?: Clock): Promise<Verifier> {
  const verifier = verifierOf(gatehouse, CREDENTIALS, clock)
  await heard(gatehouse)
  return verifier
}

/** Once the verifier waits for the next news, it has taken in all before. */
export async function heard(gatehouse: FakeGatehouse): Promise<void> {
  while (!gatehouse.isWaitedFor) await new Promise((resolve) => setImmediate(resolve))
}

/** One turn of the feed without news. */
export async function beat(gatehouse: FakeGatehouse): Promise<void> {
  gatehouse.answerWaiting()
  await heard(gatehouse)
  gatehouse.answerWaiting()
  await heard(gatehouse)
}

export async function asked(gatehouse: FakeGatehouse, times: number): Promise<void> {
  const count = () => gatehouse.asked.filter((path) => path === '/api/oauth/revocations').length
  const until = count() + times
  while (count() < until) await new Promise((resolve) => setImmediate(resolve))
}
