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

/** What a bookmark has seen it goes on seeing, and nothing older. */
export function readsAreMonotonic(facts: Facts): readonly Violation[] {
  const archived = Map.groupBy(facts.of('archive'), ({ deed }) => deed.notification)
  const uncertain = uncertainOf(facts)
  const chains = Map.groupBy(facts.done('list-notifications').filter((list) => !isQuiet(list)), (list) =>
    list.deed.read === undefined ? list.chain : '',
  )
  chains.delete('')
  return [...chains.values()].flatMap((lists) => {
    const seen = new Map<string, { readonly item: Seen; readonly list: List }>()
    const found: Violation[] = []
    for (const list of lists) {
      const items = new Map((list.deed.items ?? []).map((item) => [item.notification, item]))
      for (const [name, before] of seen) {
        const item = items.get(name)
        const mayBeGone = archived.get(name)?.some((entry) => mayPrecede(entry, list)) ?? false
        if (uncertain.has(name) || mayBeGone || (list.deed.total ?? 0) > WHOLE) continue
        const isOlder = !item || item.version < before.item.version
        if (isOlder) found.push(older(list, before, item))
      }
      for (const item of items.values()) seen.set(item.notification, { item, list })
    }
    return found
  })
}

function older(list: List, before: { readonly item: Seen; readonly list: List }, item?: Seen): Violation {
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
