import { type ReplicaReport, type Store, StoreUnavailable } from '../../database/store.ts'
import type { Watched } from '../../database/watch.ts'
import { type Dependency, Fault } from '../log/fault.ts'
import type { Platform } from '../platform.ts'
import { NO_TRACES, type Traces } from '../traces/traces.ts'
import type { Metrics } from './metrics.ts'

const NOT_KNOWN = Number.NaN

const KEY_VALUE = 'key-value'

type Ports = Pick<Platform, 'metrics' | 'traces' | 'log' | 'meta' | 'shards' | 'keyValue'>

type Observed = Pick<Store<unknown>, 'name' | 'at' | 'observe' | 'ping' | 'replicas' | 'connections' | 'freeBytes'>

/** Durations, failures, connections and room of each store, and the state of its replicas. */
export function observeStores({ metrics, traces, log, meta, shards, keyValue }: Ports): void {
  const stores: readonly Observed[] = [meta, ...shards.values()]
  metrics.counter('store_errors', 'store', [...stores.map(({ name }) => name), KEY_VALUE])
  for (const store of stores) {
    const failed = noting({ metrics, log }, store)
    store.observe({
      took(seconds, what) {
        metrics.storeTook(seconds, store.name)
        traceStatements(traces, store.name, what, seconds)
      },
      failed(error, seconds, what) {
        failed(error)
        traceStatements(traces, store.name, what, seconds, error)
      },
    })
  }
  if (keyValue.server) {
    const { at, failures } = keyValue.server
    failures.on('failed', noting({ metrics, log }, { name: KEY_VALUE, at, ping: () => keyValue.ping() }))
  }
  metrics.gauges('pool_connections', ['store', 'state'], () =>
    stores.flatMap((store) =>
      Object.entries(store.connections() ?? {}).map(([state, count]) => [{ store: store.name, state }, count] as const),
    ),
  )
  metrics.gauges('disk_free_bytes', ['store'], async () => {
    const free = await Promise.all(stores.map(async (store) => [store.name, await store.freeBytes()] as const))
    return free.flatMap(([store, bytes]) => (bytes === undefined ? [] : [[{ store }, bytes] as const]))
  })
  observeReplicas(metrics, stores)
}

const LONGEST_STATEMENTS = 2_000

/** The text of a statement has no values; they are sent beside it. */
function traceStatements(traces: Traces, store: string, what: Watched, seconds: number, error?: unknown): void {
  if (traces === NO_TRACES || what === 'probe') return
  const queries = what === 'decision' ? [] : [what].flat()
  const isBatch = Array.isArray(what)
  const name = what === 'decision' ? what : isBatch ? 'batch' : 'statement'
  const text = queries.map(({ sql }) => sql).join('; ')
  const attributes = {
    'db.namespace': store,
    ...(isBatch && { 'db.operation.batch.size': queries.length }),
    ...(text !== '' && { 'db.query.text': text.slice(0, LONGEST_STATEMENTS) }),
  }
  traces.took({ name: `${store} ${name}`, kind: 'client', attributes }, seconds, error)
}

function noting({ metrics, log }: Pick<Ports, 'metrics' | 'log'>, part: Dependency): (error: unknown) => void {
  const fault = new Fault(part, log)
  return (error) => {
    if (!(error instanceof StoreUnavailable)) return
    metrics.count('store_errors', part.name)
    fault.failed(error)
  }
}

function observeReplicas(metrics: Metrics, stores: readonly Observed[]): void {
  const ofEach = (figure: (report: ReplicaReport) => number) => () =>
    stores.flatMap((store) =>
      store.replicas().map((report) => [{ store: store.name, replica: report.at }, figure(report)] as const),
    )
  metrics.gauges(
    'replica_serving',
    ['store', 'replica'],
    ofEach(({ state }) => (state === 'untried' || state === 'primary' ? NOT_KNOWN : Number(state === 'serving'))),
  )
  metrics.gauges(
    'replica_state_seconds',
    ['store', 'replica'],
    ofEach(({ stateMilliseconds }) => stateMilliseconds / 1000),
  )
  metrics.gauges(
    'replica_behind_bytes',
    ['store', 'replica'],
    ofEach(({ behindBytes }) => behindBytes ?? NOT_KNOWN),
  )
}
