import type { ReplicaReport, Store } from '../../database/store.ts'
import type { Stores } from '../../database/stores.ts'
import type { Metrics } from './metrics.ts'

const NO_LAG_KNOWN = Number.NaN

/** How long each store takes, and the state of its replicas. */
export function observeStores(metrics: Metrics, { meta, shards }: Stores): void {
  const stores: readonly Pick<Store<unknown>, 'name' | 'observe' | 'replicas'>[] = [meta, ...shards.values()]
  for (const store of stores) {
    const series = metrics.store(store.name)
    store.observe((seconds) => series.observe(seconds))
  }

  const ofEach = (figure: (report: ReplicaReport) => number) => () =>
    stores.flatMap((store) =>
      store
        .replicas()
        .map((report) => [{ store: store.name, replica: report.name }, figure(report)] as const),
    )
  metrics.gauges(
    'replica_serving',
    ['store', 'replica'],
    ofEach(({ state }) => (state === 'serving' ? 1 : 0)),
  )
  metrics.gauges(
    'replica_behind_bytes',
    ['store', 'replica'],
    ofEach(({ behindBytes }) => behindBytes ?? NO_LAG_KNOWN),
  )
}
