import { createVerifierAt } from '../../../packages/server/caching-verifier.ts'
import type { Clock, VerifierOptions } from '../../../packages/server/options.ts'
import type { Verifier } from '../../../packages/server/verifier.ts'
import type { TestContext } from '../../running/node-test.ts'
import { type FakeGatehouse, ISSUER } from './fake-gatehouse.ts'

export function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } }
}

export function verifierOf(
  t: TestContext,
  gatehouse: FakeGatehouse,
  options: Partial<VerifierOptions>,
  clock: Clock = gatehouse.clock,
): Verifier {
  const verifier = createVerifierAt({ issuer: ISSUER, fetch: gatehouse.fetch, ...options }, clock)
  t.after(() => verifier.close())
  return verifier
}

export async function asked(gatehouse: FakeGatehouse, times: number): Promise<void> {
  const count = () => gatehouse.asked.filter((path) => path === '/api/oauth/revocations').length
  const until = count() + times
  while (count() < until) await new Promise((resolve) => setImmediate(resolve))
}
