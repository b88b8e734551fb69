import { Session } from 'node:inspector/promises'
import type { Watched } from '../../src/database/watch.ts'
import { startService } from '../service/service.ts'
import { carryOut, ENV } from './acts.ts'
import type { Cost } from './tracing.ts'

/** Prints the `Cost` of each act as JSON. */
const SOURCES = new URL('../../src/', import.meta.url).href

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await using service = await startService({ env: ENV })
const { meta, shards } = service.platform
let sent: string[] = []
for (const store of [meta, ...shards.values()]) {
  store.observe({
    took: (_seconds, what) => void sent.push(`${store.name}: ${sqlOf(what)}`),
    failed: () => undefined,
  })
}
const costs: Cost[] = []
await carryOut(service, measured)
process.stdout.write(`${JSON.stringify(costs)}\n`)

async function measured<T>(act: string, work: () => Promise<T>): Promise<T> {
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  sent = []
  const result = await work()
  const trips = sent
  sent = []
  const files = await filesThatRan()
  const repeated = [...new Set(trips.filter((one, i) => trips.indexOf(one) < i))]
  costs.push({
    act,
    trips: trips.length,
    repeated: repeated.map((one) => one.slice(0, 120)),
    files: files.length,
    features: files.filter((file) => file.startsWith('features/')).length,
  })
  return result
}

async function filesThatRan(): Promise<readonly string[]> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  await inspector.post('Profiler.stopPreciseCoverage')
  return result
    .filter(({ url }) => url.startsWith(SOURCES))
    .filter(({ functions }) =>
      functions.some(({ ranges: [whole] }) => whole && whole.count > 0 && whole.startOffset > 0),
    )
    .map(({ url }) => url.slice(SOURCES.length))
}

function sqlOf(what: Watched): string {
  if (typeof what === 'string') return what
  return 'sql' in what ? what.sql : what.map(({ sql }) => sql).join('; ')
}
