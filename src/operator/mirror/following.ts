import type { Mirroring } from './mirror.ts'
import { CursorLost, type Feed, ROWS_AT_ONCE, type Row, type Source } from './source.ts'
import { moveState, readState } from './state.ts'
import { MIRRORED, type Mirrored } from './tables.ts'
import { inTransaction } from './target.ts'
import { type News, type Place, writeNews } from './writing.ts'

/** `current_at` is never older than this while nothing happens. */
const WAIT_SECONDS = 2
const BEHIND_MILLISECONDS = 5_000
const TOLD_EVERY_MILLISECONDS = 60_000

/** Follows the feed: the rows that a page of events is about and the cursor are one transaction. */
export async function follow(mirroring: Mirroring, place: Place): Promise<void> {
  const { source, ended, isOnce, now, say } = mirroring
  const { connection, schema } = place
  let state = await readState(connection, schema)
  let toldAt = Number.NEGATIVE_INFINITY
  let waitSeconds = 0
  while (!ended.aborted) {
    const page = await source.feed(state.cursor ?? '', waitSeconds)
    if (ended.aborted) return
    if (page.gap) throw new CursorLost()
    const news = await newsOf(source, page)
    const before = state
    const after = { ...before, cursor: page.next }
    await inTransaction(connection, async () => {
      await writeNews(place, news)
      await moveState(connection, schema, before, after, page.current_at)
    })
    state = after
    if (page.current_at !== undefined && isOnce) return
    waitSeconds = page.current_at === undefined ? 0 : WAIT_SECONDS
    const behind = page.now - (page.current_at ?? page.items.at(-1)?.occurred_at ?? page.now)
    if (behind <= BEHIND_MILLISECONDS || now() - toldAt < TOLD_EVERY_MILLISECONDS) continue
    toldAt = now()
    say(`the mirror is ${Math.round(behind / 1000).toLocaleString('en')} seconds behind`)
  }
}

/** The rows as they are now, which is at least as new as the events. */
async function newsOf(source: Source, { items }: Feed): Promise<News> {
  const rows = new Map<Mirrored, readonly Row[]>()
  const gone = new Map<Mirrored, readonly string[]>()
  for (const table of source.hasOrganizations ? MIRRORED : (['users'] as const)) {
    const ids = [...new Set(items.flatMap((event) => idIn(table, event)))]
    if (ids.length === 0) continue
    const found: Row[] = []
    for (let i = 0; i < ids.length; i += ROWS_AT_ONCE)
      found.push(...(await source.read(table, { ids: ids.slice(i, i + ROWS_AT_ONCE) })))
    const known = new Set(found.map(({ id }) => id))
    rows.set(table, found)
    gone.set(
      table,
      ids.filter((id) => !known.has(id)),
    )
  }
  return { rows, gone }
}

const PREFIX: Readonly<Record<Mirrored, string>> = {
  users: 'user.',
  organizations: 'organization.',
  members: 'member.',
}

/** Which row of the table an event is about, if any. A member is named in the event's data, until the user is deleted. */
export function idIn(table: Mirrored, { type, user_id, organization_id, data }: Feed['items'][number]) {
  if (!type.startsWith(PREFIX[table])) return []
  const id = { users: user_id, organizations: organization_id ?? data.id, members: data.id }[table]
  return typeof id === 'string' ? [id] : []
}
