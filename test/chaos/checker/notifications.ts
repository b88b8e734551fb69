import type { Seen } from '../history.ts'
import { type Fact, type Facts, isBefore, isQuiet, mayPrecede, type Violation, violation } from './facts.ts'

const WHOLE = 100
type List = Fact<'list-notifications'>

export function listsAreWhole(facts: Facts): readonly Violation[] {
  return facts.done('list-notifications').flatMap((list) => {
    const { user, items = [], total = 0, read } = list.deed
    const found: Violation[] = []
    if (Math.min(total, WHOLE) !== items.length) {
      const words = `total ${total}, rows ${items.length}`
      found.push(violation('total counts the rows', [user], words, list))
    }
    if (read !== undefined && items.some((item) => item.read !== read))
      found.push(violation('the read filter filters', [user], `asked for read ${read}`, list))
    return found
  })
}

/** A bookmark never sees anything older than what it has seen. */
export function readsAreMonotonic(facts: Facts): readonly Violation[] {
  const archived = Map.groupBy(facts.of('archive'), ({ deed }) => deed.notification)
  const uncertain = uncertainOf(facts)
  const lists = facts
    .done('list-notifications')
    .filter((list) => !isQuiet(list) && list.deed.read === undefined && (list.deed.total ?? 0) <= WHOLE)
  const mayBeOlder = (name: string, list: List) =>
    uncertain.has(name) || (archived.get(name)?.some((entry) => mayPrecede(entry, list)) ?? false)
  const chains = Map.groupBy(lists, ({ chain }) => chain)
  return [...chains.values()].flatMap((chain) => {
    const seen = new Map<string, Before>()
    return chain.flatMap((list) => {
      const items = new Map((list.deed.items ?? []).map((item) => [item.notification, item]))
      const found = [...seen.values()].flatMap((before) => {
        const name = before.item.notification
        const item = items.get(name)
        const isOlder = !item || item.version < before.item.version
        return isOlder && !mayBeOlder(name, list) ? [older(list, before, item)] : []
      })
      for (const item of items.values()) seen.set(item.notification, { item, list })
      return found
    })
  })
}

interface Before {
  readonly item: Seen
  readonly list: List
}

function older(list: List, before: Before, item?: Seen): Violation {
  const { notification, version } = before.item
  const now = item ? `v${item.version}` : 'missing'
  const words = `${notification} was v${version} and is ${now}, for one bookmark, at ${list.at}`
  return violation('reads are monotonic', [notification], words, before.list, list)
}

/** An unacknowledged publication, edit or archiving may yet happen, or may have been lost. */
function uncertainOf(facts: Facts): ReadonlySet<string> {
  const all = [...facts.of('publish'), ...facts.of('edit'), ...facts.of('archive')]
  return new Set(all.filter(({ outcome }) => outcome === 'unknown').map(({ deed }) => deed.notification))
}

export function ownMarksAreRead(facts: Facts): readonly Violation[] {
  const marks = Map.groupBy(facts.done('mark'), ({ deed }) => deed.user)
  return facts.done('list-notifications').flatMap((list) => {
    const unread = new Set((list.deed.items ?? []).filter((item) => !item.read).map((item) => item.notification))
    return (marks.get(list.deed.user) ?? [])
      .filter((mark) => isBefore(mark, list) && (isQuiet(list) || mark.chain === list.chain))
      .filter(({ deed }) => unread.has(deed.notification))
      .map((mark) => {
        const { user, notification } = mark.deed
        const words = `${notification} was marked and is unread at ${list.at}`
        return violation('own writes are read', [user], words, mark, list)
      })
  })
}

/** In a quiet round everything that was published is there, in its newest form. */
export function publishedIsThere(facts: Facts): readonly Violation[] {
  const archived = new Set(facts.of('archive').map(({ deed }) => deed.notification))
  const uncertain = uncertainOf(facts)
  const edits = Map.groupBy(facts.done('edit'), ({ deed }) => deed.notification)
  const lists = facts
    .done('list-notifications')
    .filter((list) => isQuiet(list) && list.deed.read === undefined && (list.deed.total ?? 0) <= WHOLE)
  return lists.flatMap((list) =>
    facts
      .done('publish')
      .filter((entry) => isBefore(entry, list) && !archived.has(entry.deed.notification))
      .filter(({ deed }) => !uncertain.has(deed.notification))
      .flatMap((entry) => {
        const { notification } = entry.deed
        const item = list.deed.items?.find((each) => each.notification === notification)
        const newest = (edits.get(notification) ?? [])
          .filter((edit) => isBefore(edit, list))
          .reduce((most, edit) => Math.max(most, edit.deed.version), 0)
        if (item && item.version >= newest) return []
        const words = `${notification} is ${item ? `v${item.version}, not v${newest}` : 'missing'} at ${list.at}`
        return [violation('nothing acknowledged is lost', [notification], words, entry, list)]
      }),
  )
}
