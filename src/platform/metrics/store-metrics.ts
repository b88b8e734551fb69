import { type ReplicaReport, type Store, StoreUnavailable } from '../../database/store.ts'
import { Fault, type Part } from '../log/fault.ts'
import type { Platform } from '../platform.ts'
import type { Metrics } from './metrics.ts'

const NOT_KNOWN = Number.NaN

const KEY_VALUE = 'key-value'

type Needed = Pick<Platform, 'metrics' | 'log' | 'meta' | 'shards' | 'keyValue'>

type Observed = Pick<
  Store<unknown>,
  'name' | 'at' | 'observe' | 'ping' | 'replicas' | 'connections' | 'freeBytes'
>

/** How long each store takes, its failures, connections and room, and the state of its replicas. */
export function observeStores({ metrics, log, meta, shards, keyValue }: Needed): void {
  const stores: readonly Observed[] = [meta, ...shards.values()]
  metrics.counter('store_errors', 'store', [...stores.map(({ name }) => name), KEY_VALUE])
  for (const store of stores) {
    const series = metrics.store(store.name)
    const failed = noting({ metrics, log }, store)
    store.observe({ took: (seconds) => series.observe(seconds), failed })
  }
  if (keyValue.server) {
    const { at, failures } = keyValue.server
    failures.on('failed', noting({ metrics, log }, { name: KEY_VALUE, at, ping: () => keyValue.ping() }))
  }
  metrics.gauges('pool_connections', ['store', 'state'], () =>
    stores.flatMap((store) =>
      Object.entries(store.connections() ?? {}).map(
        ([state, count]) => [{ store: store.name, state }, count] as const,
      ),
    ),
  )
  metrics.gauges('disk_free_bytes', ['store'], async () => {
    const free = await Promise.all(
      stores.map(async (store) => [store.name, await store.freeBytes()] as const),
    )
    return free.flatMap(([store, bytes]) => (bytes === undefined ? [] : [[{ store }, bytes] as const]))
  })
  observeReplicas(metrics, stores)
}

function noting({ metrics, log }: Pick<Needed, 'metrics' | 'log'>, part: Part): (error: unknown) => void {
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
      store
        .replicas()
        .map((report) => [{ store: store.name, replica: report.name }, figure(report)] as const),
    )
  metrics.gauges(
    'replica_serving',
    ['store', 'replica'],
    ofEach(({ state }) => (state === 'untried' ? NOT_KNOWN : Number(state === 'serving'))),
  )
  metrics.gauges(
    'replica_behind_bytes',
    ['store', 'replica'],
    ofEach(({ behindBytes }) => behindBytes ?? NOT_KNOWN),
  )
}
