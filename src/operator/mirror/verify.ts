import { OperatorError } from '../../rules/operator-error.ts'
import { type Connect, type Connection, opened } from '../named-database/connection.ts'
import { idIn } from './following.ts'
import { refuseUnmirrored } from './preparing.ts'
import { CursorLost, type Feed, lacksOrganizations, ROWS_AT_ONCE, type Source } from './source.ts'
import { readState } from './state.ts'
import { differences, idsAfter, notDeleted } from './statements.ts'
import { MIRRORED, type Mirrored } from './tables.ts'
import { inTransaction, WHOSE } from './target.ts'

export interface Difference {
  readonly table: Mirrored
  readonly id: string
  /** The columns that differ; a text if the row is missing on one side. */
  readonly columns: readonly string[] | string
}

export interface Verified {
  readonly equal: number
  readonly different: readonly Difference[]
  /** False if the mirror has no organisations, so that only users were compared. */
  readonly hasOrganizations: boolean
}

const MISSING = 'not in the mirror'
const SURPLUS = 'not in Gatehouse'

export async function verify(source: Source, connect: Connect, schema: string): Promise<Verified> {
  const connection = await opened(connect, WHOSE)
  try {
    return await compare(source, connection, schema)
  } catch (error) {
    if (!(error instanceof CursorLost)) throw error
    throw new OperatorError('the feed of events no longer has the mirror’s cursor; run the mirror with --recopy')
  } finally {
    await connection.end()
  }
}

/**
 * Compares every row of both sides. A row that differs counts only if the feed has no news of it after the cursor that
 * the mirror had before anything was compared.
 */
async function compare(source: Source, connection: Connection, schema: string): Promise<Verified> {
  await inTransaction(connection, () => refuseUnmirrored(connection, schema))
  const { cursor, copying, has_organizations } = await readState(connection, schema)
  if (cursor === null || copying !== null)
    throw new OperatorError('the mirror is still copying; verify it when it has caught up')
  if (has_organizations && !source.hasOrganizations) throw lacksOrganizations()
  let compared = 0
  const different: Difference[] = []
  for (const table of has_organizations ? MIRRORED : (['users'] as const)) {
    compared += await compareRows(source, connection, schema, table, different)
    different.push(...(await surplusRows(source, connection, schema, table)))
  }
  const news = await newsAfter(source, cursor)
  return {
    equal: compared - different.filter(({ columns }) => columns !== SURPLUS).length,
    different: different.filter(({ table, id }) => !news[table].has(id)),
    hasOrganizations: has_organizations === true,
  }
}

async function compareRows(
  source: Source,
  connection: Connection,
  schema: string,
  table: Mirrored,
  different: Difference[],
): Promise<number> {
  let compared = 0
  for (let after: string | undefined; ; ) {
    const rows = await source.read(table, { after })
    after = rows.at(-1)?.id
    if (after === undefined) return compared
    const found = await inTransaction(connection, () =>
      connection.query(differences(schema, table), [JSON.stringify(rows)]),
    )
    for (const { id, columns } of found.rows)
      different.push({ table, id: String(id), columns: Array.isArray(columns) ? columns.map(String) : MISSING })
    compared += rows.length
  }
}

async function surplusRows(source: Source, connection: Connection, schema: string, table: Mirrored) {
  const surplus: Difference[] = []
  for (let after = ''; ; ) {
    const kept = await connection.query(idsAfter(schema, table), [after, ROWS_AT_ONCE])
    const ids = kept.rows.map(({ id }) => String(id))
    const last = ids.at(-1)
    if (last === undefined) return surplus
    after = last
    const known = new Set((await source.read(table, { ids })).map(({ id }) => id))
    const unknown = ids.filter((id) => !known.has(id))
    const { rows } = await connection.query(notDeleted(schema, table), [unknown])
    surplus.push(...rows.map(({ id }) => ({ table, id: String(id), columns: SURPLUS })))
  }
}

type Ids = Readonly<Record<Mirrored, Set<string>>>

/** Reads on until everything is in that was committed before this began. */
async function newsAfter(source: Source, cursor: string): Promise<Ids> {
  const news: Ids = { users: new Set(), organizations: new Set(), members: new Set() }
  let until: number | undefined
  for (let after = cursor; ; ) {
    const page = await source.feed(after, until === undefined ? 0 : 1)
    if (page.gap) throw new CursorLost()
    note(news, page)
    after = page.next
    until ??= page.now
    if ((page.current_at ?? 0) >= until) return news
  }
}

function note(news: Ids, { items }: Feed): void {
  for (const table of MIRRORED) {
    for (const id of items.flatMap((event) => idIn(table, event))) news[table].add(id)
  }
}
