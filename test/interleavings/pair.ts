import { isDeepStrictEqual } from 'node:util'
import type { Dice } from '../chaos/dice.ts'
import { ACTS, newSubject, type Subject } from './acts.ts'
import { footprintOf } from './footprint.ts'
import type { Stage } from './stage.ts'

/** What came of two acts: whether each was done, and what the stores hold. */
export interface End {
  readonly done: readonly boolean[]
  readonly footprint: Readonly<Record<string, unknown>>
}

type Names = readonly [first: string, second: string]
type Way = (acts: readonly (() => Promise<boolean>)[], subject: Subject) => Promise<readonly boolean[]>

/** One after the other, either first; or the one that was refused left nothing. */
export async function serialEnds(stage: Stage, names: Names): Promise<readonly End[]> {
  const ways: readonly Way[] = [
    async ([a, b]) => [(await a?.()) ?? false, (await b?.()) ?? false],
    async ([a, b]) => {
      const second = (await b?.()) ?? false
      return [(await a?.()) ?? false, second]
    },
    async ([a]) => [(await a?.()) ?? false, false],
    async ([, b]) => [false, (await b?.()) ?? false],
    async () => [false, false],
  ]
  const ends: End[] = []
  for (const way of ways) ends.push(await endOf(stage, names, way))
  const [first, second] = names
  // Whoever asks for what is done at the same moment may be told that it is done.
  return first === second && CAN_BE_DONE_TWICE.has(first)
    ? [...ends, ...ends.map(({ footprint }) => ({ done: [true, true], footprint }))]
    : ends
}

const CAN_BE_DONE_TWICE: ReadonlySet<string> = new Set(['erase', 'move'])

/** At once, in the order that the dice say. */
export async function scheduledEnd(
  stage: Stage,
  names: Names,
  dice: Dice,
): Promise<End & { readonly order: string }> {
  let order = ''
  const end = await endOf(stage, names, async (acts) => {
    const run = await stage.scheduler.run(acts, dice)
    order = run.order
    return run.results.map((result) => {
      if (result.status === 'rejected')
        throw new Error(`${names.join(' beside ')}, ${order}`, { cause: result.reason })
      return result.value
    })
  })
  return { ...end, order }
}

async function endOf(stage: Stage, names: Names, way: Way): Promise<End> {
  const subject = await newSubject(stage)
  const acts = []
  for (const [n, name] of names.entries()) {
    const prepare = ACTS[name]
    if (!prepare) throw new Error(`there is no act "${name}"`)
    acts.push(await prepare(subject, n + 1))
  }
  const done = await way(acts, subject)
  await settle(stage, names)
  return { done, footprint: await footprintOf(subject) }
}

/** What the background would do soon. */
async function settle({ service }: Stage, names: Names): Promise<void> {
  if (!names.includes('move') && !names.includes('erase')) return
  service.clock.advance({ minutes: 1 })
  await service.runJob('moves')
  await service.runJob('erasure')
}

export function isOneOf(end: End, allowed: readonly End[]): boolean {
  return allowed.some(({ done, footprint }) =>
    isDeepStrictEqual({ done, footprint }, { done: end.done, footprint: end.footprint }),
  )
}
