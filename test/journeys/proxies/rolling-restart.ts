import assert from 'node:assert/strict'
import { keepBusy } from '../../faults/support/busy.ts'
import { untilSo } from '../../faults/support/replicated.ts'
import { freePort } from '../../processes/free-port.ts'
import type { Env, Installation, Life } from '../../processes/installation.ts'
import { type BALANCERS, startBalancing } from './balancing.ts'

const PEOPLE = ['ann', 'ben', 'cara', 'dora', 'eve', 'fay', 'gil', 'hal']

/** Replaces each of two processes behind the proxy, under load: as soon as one has requests again, the next. Returns the requests. */
export async function restartEach(
  name: (typeof BALANCERS)[number],
  installation: Installation,
  env: Env,
): Promise<number> {
  const serve = async (port: number) => installation.serve({ ...env, PORT: String(port) })
  const members = await Promise.all([serve(await freePort()), serve(await freePort())])
  await using proxy = await startBalancing(
    name,
    members.map(({ port }) => port),
  )
  const busy = await keepBusy(
    proxy,
    PEOPLE.map((person) => `${person}-${name}`),
  )
  await busy.roundsOfAll(1)
  const restarted: Life[] = []
  for (const old of members) {
    const { code, stderr } = await old.end()
    assert.equal(code, 0, stderr)
    const next = await serve(old.port)
    restarted.push(next)
    await untilSo('the proxy sends requests to it', async () =>
      (await (await next.request('/metrics')).text()).includes('route="/api/submit_feedback"'),
    )
  }
  await busy.roundsOfAll(1)
  const { answers, refusals, lost } = await busy.stop()
  await Promise.all(restarted.map((member) => member.end()))

  assert.deepEqual([Object.keys(answers), refusals, lost], [['200'], [], []])
  return answers[200] ?? 0
}
