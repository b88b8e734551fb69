import { type Meta, unlessUnavailable } from '../../../database/store.ts'
import type { Job } from '../../../platform/background.ts'
import { RepeatedFailure } from '../../../platform/log/repeated-failure.ts'
import type { Platform } from '../../../platform/platform.ts'

/** Codes of authenticator apps and leases between processes tolerate no larger difference. */
export const TOLERATED_MILLISECONDS = 2_000

/** Checks at the start and each minute that each store has room, and that its clock agrees with this machine's. */
export function storesJob({ meta, shards, log, metrics, now }: Platform): Job {
  const stores = [meta, ...shards.values()]
  const offsets = new Map<string, number>()
  metrics.gauges('clock_offset_seconds', ['store'], () =>
    [...offsets].map(([store, milliseconds]) => [{ store }, milliseconds / 1000] as const),
  )
  const failures = new Map(
    stores.map(({ name: store }) => [
      store,
      new RepeatedFailure(log.child({ store }), {
        failed: 'the clocks of this machine and of the store differ; check that both are synchronized (timedatectl)',
        ended: 'the clocks of this machine and of the store agree again',
      }),
    ]),
  )
  return {
    name: 'stores',
    everySeconds: 60,
    atStart: true,
    async run() {
      await Promise.all(
        stores.map(async (store) => {
          const offset = await clockOffset(store, now).catch(unlessUnavailable)
          if (offset === undefined) return
          offsets.set(store.name, offset)
          const failure = failures.get(store.name)
          if (Math.abs(offset) <= TOLERATED_MILLISECONDS) failure?.ended()
          else failure?.failed(inWords(offset), 'warn')
        }),
      )
    },
  }
}

function inWords(offset: number): string {
  return `${Math.abs(offset / 1000).toFixed(0)} s ${offset > 0 ? 'ahead' : 'behind'}`
}

/** A slower response says too little: load can have delayed it, or this process. */
const SLOW_MILLISECONDS = 1_000

/** The milliseconds by which this machine is ahead; undefined if the store took too long to respond. */
export async function clockOffset(store: Pick<Meta, 'examine'>, now: () => number): Promise<number | undefined> {
  const { at, roundTripMilliseconds } = await store.examine()
  if (roundTripMilliseconds > SLOW_MILLISECONDS) return undefined
  return Math.round(now() - roundTripMilliseconds / 2 - at)
}
