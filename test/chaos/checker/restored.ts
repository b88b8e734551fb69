import type { Entry } from '../history.ts'
import { check } from './check.ts'
import { isQuiet, type Violation, violation } from './facts.ts'

/** When a backup was made, in ticks: what is in it was done before `ended`, and all that was over by `begun` is. */
export interface Backup {
  readonly begun: number
  readonly ended: number
}

/**
 * A backup that was restored elsewhere has a history of its own: all that was over before the backup, what was under
 * way as if it had got no answer, and then what was read there.
 */
export function checkRestored(before: readonly Entry[], backup: Backup, read: readonly Entry[]): readonly Violation[] {
  const over = before.filter(({ ended }) => ended < backup.begun)
  const underWay = before.filter(
    (entry) => entry.begun < backup.ended && entry.ended >= backup.begun && mayBeInIt(entry),
  )
  const after = read.map((entry) => ({
    ...entry,
    begun: entry.begun + backup.ended,
    ended: entry.ended + backup.ended,
  }))
  return [...check([...over, ...underWay.map(unanswered), ...after]), ...notInIt(before, backup, after)]
}

/** A refused act can have been overtaken by one that is not in it. */
function mayBeInIt(entry: Entry): boolean {
  return entry.outcome !== 'refused' && !isQuiet(entry)
}

function unanswered(entry: Entry): Entry {
  return { ...entry, outcome: 'unknown', ended: Number.POSITIVE_INFINITY }
}

function notInIt(before: readonly Entry[], backup: Backup, read: readonly Entry[]): readonly Violation[] {
  // A write that got no answer may have been sent again since.
  const made = new Map<string, Entry>()
  for (const entry of before.toReversed()) for (const name of madeBy(entry)) made.set(name, entry)
  return read.flatMap((entry) =>
    metIn(entry).flatMap((name) => {
      const origin = made.get(name)
      const words = `${name} was made after the backup, and is met at ${entry.at}`
      return origin && origin.begun > backup.ended
        ? [violation('what came after a backup is not in it', [name], words, origin, entry)]
        : []
    }),
  )
}

function madeBy({ outcome, deed }: Entry): readonly string[] {
  if (outcome === 'refused') return []
  if (deed.kind === 'sign-up') return [deed.user, ...(deed.session ? [deed.session] : [])]
  if (deed.kind === 'sign-in' || deed.kind === 'set-password') return deed.session ? [deed.session] : []
  if (deed.kind === 'feedback') return [deed.content]
  return deed.kind === 'publish' ? [deed.notification] : []
}

function metIn({ outcome, deed }: Entry): readonly string[] {
  if (outcome !== 'done') return []
  switch (deed.kind) {
    case 'find-user':
      return deed.found ? [deed.user] : []
    case 'use-session':
      return deed.alive ? [deed.session] : []
    case 'list-feedback':
      return deed.contents ?? []
    case 'list-notifications':
      return (deed.items ?? []).map(({ notification }) => notification)
    default:
      return []
  }
}
