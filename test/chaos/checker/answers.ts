import { isDeepStrictEqual } from 'node:util'
import type { Entry } from '../history.ts'
import { type Facts, isQuiet, type Violation, violation } from './facts.ts'

/** A fault of ours is a 500; 503 is what a store that is gone looks like. */
export function nothingBreaks(facts: Facts): readonly Violation[] {
  return facts.all
    .filter(({ status }) => /^5/.test(status) && !status.startsWith('503'))
    .map((entry) => violation('no request breaks the service', aboutUser(entry), entry.status, entry))
}

/** If nothing is wrong and no one acts, every request gets a response. */
export function quietRoundsAreAnswered(facts: Facts): readonly Violation[] {
  return facts.all
    .filter((entry) => isQuiet(entry) && entry.outcome === 'unknown')
    .map((entry) => violation('a healed service answers', aboutUser(entry), entry.status, entry))
}

/** The same question, asked of each process. */
export function processesAgree(facts: Facts): readonly Violation[] {
  const rule = 'every process answers the same'
  const quiet = facts.all.filter((entry) => isQuiet(entry) && entry.outcome === 'done')
  const asked = Map.groupBy(quiet, (entry) => questionOf(entry))
  asked.delete(undefined)
  return [...asked.values()].flatMap((entries) => {
    const [first, ...others] = entries
    if (!first) return []
    return others
      .filter((other) => !isDeepStrictEqual(other.deed, first.deed))
      .map((other) => violation(rule, aboutUser(first), `${first.at} and ${other.at} differ`, first, other))
  })
}

const SAME = new Set(['list-notifications', 'count-unread', 'read-settings', 'list-codes', 'credits', 'find-user'])

function questionOf({ deed, chain }: Entry): string | undefined {
  if (!SAME.has(deed.kind)) return undefined
  const read = deed.kind === 'list-notifications' ? deed.read : undefined
  return [chain, deed.kind, 'user' in deed ? deed.user : '', read].join(' ')
}

/** Compares, in a quiet round, within one process. */
export function unreadIsTheList(facts: Facts): readonly Violation[] {
  const lists = facts.done('list-notifications').filter((list) => isQuiet(list) && list.deed.read === false)
  const counts = facts.done('count-unread').filter(isQuiet)
  const key = ({ chain, at, deed }: Entry) => [chain, at, 'user' in deed ? deed.user : ''].join(' ')
  const totals = new Map(lists.map((list) => [key(list), list]))
  return counts.flatMap((count) => {
    const list = totals.get(key(count))
    if (!list || list.deed.total === count.deed.count) return []
    const words = `${count.deed.count} unread, ${list.deed.total} listed`
    return [violation('unread is the list', [count.deed.user], words, list, count)]
  })
}

function aboutUser({ deed }: Entry): readonly string[] {
  return 'user' in deed ? [deed.user] : []
}
