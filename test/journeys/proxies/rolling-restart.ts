import assert from 'node:assert/strict'
import { keepBusy } from '../../faults/support/busy.ts'
import { untilSo } from '../../faults/support/replicated.ts'
import { freePort } from '../../processes/free-port.ts'
import type { Env, Installation, Life } from '../../processes/installation.ts'
import { type BALANCERS, startBalancing } from './balancing.ts'
import { openPages } from './open-pages.ts'

const PEOPLE = ['ann', 'ben', 'cara', 'dora', 'eve', 'fay', 'gil', 'hal']

/**
 * Replaces each of two processes behind the proxy, under load: as soon as one has requests again, the next. The new
 * ones can be of another program; what one of the two wrote is read from the other. Pages of users can be open meanwhile.
 * Returns the requests.
 */
export async function restartEach(
  name: (typeof BALANCERS)[number],
  installation: Installation,
  env: Env,
  { before = installation, pagesOf = 0 }: { readonly before?: Installation; readonly pagesOf?: number } = {},
): Promise<number> {
  const serve = (port: number, from = installation) =>
    from.serve({ DATA_DIR: installation.dataDir, ...env, PORT: String(port) })
  const ports = [await freePort(), await freePort()]
  const members = await Promise.all(ports.map((port) => serve(port, before)))
  await using proxy = await startBalancing(
    name,
    members.map(({ port }) => port),
  )
  const [member] = members
  const pages = pagesOf > 0 && member ? await openPages(proxy, member, pagesOf) : undefined
  const busy = await keepBusy(
    proxy,
    PEOPLE.map((person) => `${person}-${ports[0]}`),
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
  await pages?.allOpen()
  const { answers, refusals, lost } = await busy.stop()
  const closed = (await pages?.leave()) ?? []
  await Promise.all(restarted.map((member) => member.end()))

  if (refusals.length > 0) assert.fail([...refusals, ...wordsOf(name, proxy.said())].join('\n'))
  assert.deepEqual([Object.keys(answers), lost, closed], [['200'], [], []])
  return answers[200] ?? 0
}

/** The proxy's messages, without those about each check. */
function wordsOf(name: string, said: string): readonly string[] {
  const lines = said.split('\n').filter((line) => name !== 'caddy' || !line.includes('"level":"info"'))
  return lines.slice(-40)
}
