import { rawRequest } from '../../load/load.ts'
import {
  atLeast,
  atMost,
  type Bench,
  type Contender,
  compare,
  figureOf,
  type Outcome,
  perCoreSecond,
  round,
} from '../../load/measure.ts'
import { jsonCall } from '../../ours.ts'
import type { Server } from '../../server.ts'
import { assertSameRows } from '../same-response.ts'

export const ROWS_IN_SHARD = 100_000

interface Listing {
  readonly ours: Server
  /** Works for ours and for the plain way alike. */
  readonly store?: Contender['store']
  /** Of an administrator. */
  readonly token: string
  readonly plain: Server
  /** An indexed `limit 20` in each shard, and nothing around it. */
  readonly handWritten?: Server | undefined
  readonly timesFaster: number
}

/** Page 1 of everybody's feedback beside the plain way, and the memory it takes. */
export async function compareListing(
  bench: Bench,
  { ours, store, token, plain, handWritten, timesFaster }: Listing,
): Promise<Outcome> {
  const idleMegabytes = await settled(bench, ours, token)
  ours.forgetPeak()
  if (handWritten) await assertSameList(ours, handWritten, token)
  const counted = store && { store }
  const one = (request: string) => ({ connections: 1, requests: [request] })
  const results = await compare(bench, [
    { ...counted, name: OURS, server: ours, load: one(jsonCall('/api/admin/list_feedbacks', token, {})) },
    { ...counted, name: PLAIN, server: plain, load: one(rawRequest('POST', '/feedbacks', {}, '{}')) },
    ...(handWritten ? [{ name: BY_HAND, server: handWritten, load: one(jsonCall('/feedbacks', token, {})) }] : []),
  ])
  const grownMegabytes = ours.peakMemoryMegabytes() - idleMegabytes
  const ratio = perCoreSecond(results, OURS) / perCoreSecond(results, PLAIN)
  return {
    ratios: [
      atLeast('against the plain way', round(ratio), timesFaster),
      ...(handWritten
        ? [
            atLeast(
              'against an indexed limit in each shard, written by hand',
              round(perCoreSecond(results, OURS) / perCoreSecond(results, BY_HAND)),
              0.5,
            ),
          ]
        : []),
      atMost('peak memory above idle', round(grownMegabytes), 30, 'MB'),
    ],
    figures: [...results.values()].map(figureOf),
  }
}

async function assertSameList(ours: Server, handWritten: Server, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const list = { server: ours, path: '/api/admin/list_feedbacks', headers, body: '{}' }
  await assertSameRows(list, { ...list, server: handWritten, path: '/feedbacks' })
}

const OURS = 'list_feedbacks'
const PLAIN = 'the plain way'
const BY_HAND = 'written by hand'
const STEADY_ROUNDS = 3
const ROUNDS_AT_MOST = 30

/** Idle is a server that has checked sessions until it stopped growing: its code compiled, its heap of the usual size. */
async function settled(
  { generator, seconds, core }: Bench,
  { port, memoryMegabytes }: Server,
  token: string,
): Promise<number> {
  const requests = [rawRequest('GET', '/api/auth/get-session', { authorization: `Bearer ${token}` })]
  let largest = 0
  for (let round = 0, steady = 0; steady < STEADY_ROUNDS && round < ROUNDS_AT_MOST; round++) {
    await generator.run({ port, connections: 32, seconds, core, requests })
    steady = memoryMegabytes() > largest * 1.01 ? 0 : steady + 1
    largest = Math.max(largest, memoryMegabytes())
  }
  return largest
}
