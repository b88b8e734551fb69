import { setTimeout as pause } from 'node:timers/promises'
import type { Stage } from './actors/people.ts'
import type { Gate } from './gate.ts'
import { faultsOf } from './plan.ts'
import type { FaultCall } from './worlds/world.ts'

/** Lets things go wrong, one after the other, while the gate is open; counts them by name. */
export async function hauntedBy(
  stage: Stage,
  gate: Gate,
  judge: FaultCall['judge'],
): Promise<Readonly<Record<string, number>>> {
  const { world, history, seed, shared, isOver } = stage
  const weights = Object.fromEntries(Object.entries(world.faults).map(([name, { weight }]) => [name, weight]))
  const counts: Record<string, number> = {}
  for (const { fault, afterMilliseconds, dice } of faultsOf(seed, weights)) {
    await gate.pass()
    if (isOver()) return counts
    await pause(afterMilliseconds)
    const entry = history.begin({ kind: 'fault', fault, words: '' }, 'nemesis', 'nemesis')
    const users = [...shared.lives.values()].filter((life) => !life.isOver).map(({ id }) => id)
    const words = await world.faults[fault]?.happen({ dice, history, users, judge })
    if (entry.deed.kind === 'fault') entry.deed.words = words ?? ''
    history.end(entry, 'done', words ?? '')
    counts[fault] = (counts[fault] ?? 0) + 1
  }
  return counts
}
