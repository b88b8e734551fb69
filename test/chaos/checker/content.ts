import { REWARD } from '../worlds/preparing.ts'
import { type Fact, type Facts, isBefore, isQuiet, type Violation, violation } from './facts.ts'

/** The rows of one page of the longest list. */
const WHOLE = 100

export function feedbackIsKept(facts: Facts): readonly Violation[] {
  const written = Map.groupBy(facts.of('feedback'), ({ deed }) => deed.user)
  const refused = Map.groupBy(facts.refused('feedback'), ({ deed }) => deed.user)
  const erased = Map.groupBy(facts.of('erase'), ({ deed }) => deed.user)
  return facts.done('list-feedback').flatMap((list) => {
    const { user, contents = [] } = list.deed
    return [
      ...doubled(list, contents),
      ...(refused.get(user) ?? [])
        .filter(({ deed }) => contents.includes(deed.content))
        .map((entry) => violation('what was refused is not done', [user], entry.deed.content, entry, list)),
      ...((erased.get(user) ?? []).some(({ begun }) => begun < list.ended)
        ? []
        : missing(list, contents, written.get(user) ?? [])),
    ]
  })
}

function doubled(list: Fact<'list-feedback'>, contents: readonly string[]): readonly Violation[] {
  const { user, total, whole } = list.deed
  const found: Violation[] = []
  if (new Set(contents).size < contents.length)
    found.push(violation('nothing is done twice', [user], `${contents.join(', ')}`, list))
  if (!whole && total !== undefined && Math.min(total, WHOLE) !== contents.length) {
    const words = `total ${total}, rows ${contents.length}`
    found.push(violation('total counts the rows', [user], words, list))
  }
  return found
}

export function auditListsAreWhole(facts: Facts): readonly Violation[] {
  return facts.done('list-audit').flatMap((list) => {
    const { user, rows = 0, total = 0 } = list.deed
    if (Math.min(total, WHOLE) === rows) return []
    const words = `total ${total}, rows ${rows}, at ${list.at}`
    return [violation('total counts the rows', [user], words, list)]
  })
}

/** Judges for the writer's own bookmark, and for a reader of the newest state. */
function missing(
  list: Fact<'list-feedback'>,
  contents: readonly string[],
  written: readonly Fact<'feedback'>[],
): readonly Violation[] {
  const { user, whole, total = 0 } = list.deed
  if (!whole && total > WHOLE) return []
  return written
    .filter(
      (entry) =>
        entry.outcome === 'done' &&
        isBefore(entry, list) &&
        (isQuiet(list) || entry.chain === list.chain) &&
        !contents.includes(entry.deed.content),
    )
    .map((entry) => violation('nothing acknowledged is lost', [user], `${entry.deed.content} is missing`, entry, list))
}

export function eachCreditCountsOnce(facts: Facts): readonly Violation[] {
  const rule = 'each credit counts once'
  const balances = facts
    .done('credits')
    .filter(({ deed }) => deed.balance !== undefined && deed.balance !== REWARD)
    .map((entry) => violation(rule, [entry.deed.user], `the balance is ${entry.deed.balance}`, entry))
  const entries = facts
    .done('credit-entries')
    .filter(({ deed }) => deed.sources && (deed.sources.join() !== 'signup' || deed.total !== 1))
    .map((entry) => violation(rule, [entry.deed.user], `entries: ${entry.deed.sources?.join() || 'none'}`, entry))
  return [...balances, ...entries]
}
