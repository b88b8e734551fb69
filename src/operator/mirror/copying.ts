import { OperatorError } from '../../rules/operator-error.ts'
import type { Mirroring } from './mirror.ts'
import { ROWS_AT_ONCE, type Source } from './source.ts'
import { moveState, readState, type State } from './state.ts'
import { idsAfter } from './statements.ts'
import { MIRRORED, type Mirrored } from './tables.ts'
import { inTransaction } from './target.ts'
import { type Place, write, writeNews } from './writing.ts'

/** Every table is copied, then the rows are ended that Gatehouse does not have. Each stage is named in the state. */
const ENDING = 'ended '
const STAGES: readonly string[] = [...MIRRORED, ...MIRRORED.toReversed().map((table) => ENDING + table)]

/** Notes the end of the feed before anything is read, so that whatever changes during the copy comes with it. */
export async function startCopy(source: Source, { connection, schema }: Place, before: State): Promise<void> {
  const cursor = await source.feedEnd()
  const [copying = null] = STAGES
  const after = { cursor, copying, copied_to: null, has_organizations: source.hasOrganizations }
  await inTransaction(connection, () => moveState(connection, schema, before, after))
}

/** Goes on with a copy that is under way, from the page at which it was stopped. */
export async function copy(mirroring: Mirroring, place: Place): Promise<void> {
  const { connection, schema } = place
  const { ended, say } = mirroring
  let state = await readState(connection, schema)
  let copied = 0
  while (state.copying !== null && !ended.aborted) {
    const before: State = state
    const stage = state.copying
    const { after, rows } = stage.startsWith(ENDING)
      ? await endNext(mirroring, place, before, tableOf(stage))
      : await copyNext(mirroring, place, before, tableOf(stage))
    state = after
    copied += rows
    if (state.copying === stage) continue
    if (copied > 0)
      say(`${stage.startsWith(ENDING) ? 'compared' : 'copied'} ${copied.toLocaleString('en')} ${tableOf(stage)}`)
    copied = 0
  }
}

function tableOf(stage: string): Mirrored {
  const table = MIRRORED.find((one) => stage === one || stage === ENDING + one)
  if (table === undefined)
    throw new OperatorError('the copy was begun by another version of the mirror; run it with --recopy')
  return table
}

interface Step {
  readonly after: State
  readonly rows: number
}

async function copyNext({ source }: Mirroring, place: Place, before: State, table: Mirrored): Promise<Step> {
  const { connection, schema } = place
  const rows = isLeftOut(source, table) ? [] : await source.read(table, { after: before.copied_to ?? undefined })
  const after = stateAfter(before, rows)
  await inTransaction(connection, async () => {
    await write(place, table, rows)
    await moveState(connection, schema, before, after)
  })
  return { after, rows: rows.length }
}

/** Asks for the rows that the mirror has, by their ids, whatever order its own database gives them. */
async function endNext({ source }: Mirroring, place: Place, before: State, table: Mirrored): Promise<Step> {
  const { connection, schema } = place
  const kept = await connection.query(idsAfter(schema, table), [before.copied_to ?? '', ROWS_AT_ONCE])
  const ids: readonly string[] = kept.rows.map(({ id }) => String(id))
  const isRead = ids.length > 0 && !isLeftOut(source, table)
  const known = new Set((isRead ? await source.read(table, { ids }) : []).map(({ id }) => id))
  const gone = isRead ? ids.filter((id) => !known.has(id)) : []
  const after = stateAfter(
    before,
    ids.map((id) => ({ id })),
  )
  await inTransaction(connection, async () => {
    await writeNews(place, { rows: new Map(), gone: new Map([[table, gone]]) })
    await moveState(connection, schema, before, after)
  })
  return { after, rows: ids.length }
}

function isLeftOut({ hasOrganizations }: Source, table: Mirrored): boolean {
  return table !== 'users' && !hasOrganizations
}

/** An empty page ends the stage. */
function stateAfter(before: State, page: readonly { readonly id: string }[]): State {
  const last = page.at(-1)
  if (last) return { ...before, copied_to: last.id }
  const next = STAGES[STAGES.indexOf(before.copying ?? '') + 1]
  return { ...before, copying: next ?? null, copied_to: null }
}
