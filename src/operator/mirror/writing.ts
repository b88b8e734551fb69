import { type Connection, DatabaseFault } from '../named-database/connection.ts'
import type { Row } from './source.ts'
import { deleteRows, giveUpUnique, idsWhere, markDeleted, upsert } from './statements.ts'
import type { Mirrored } from './tables.ts'

/** Where a mirror writes, and how it treats deleted rows. */
export interface Place {
  readonly connection: Connection
  readonly schema: string
  readonly keepsDeleted: boolean
}

/** What is known of the rows that some events are about. */
export interface News {
  readonly rows: ReadonlyMap<Mirrored, readonly Row[]>
  /** The ids that Gatehouse does not have. */
  readonly gone: ReadonlyMap<Mirrored, readonly string[]>
}

const UNIQUE_VIOLATION = '23505'
/** The second is said of `on delete restrict` from PostgreSQL 18 on. */
const STILL_REFERRED_TO = ['23503', '23001']

/** Deletions come first, because they free what is unique. Everything runs in the caller's transaction. */
export async function writeNews(place: Place, { rows, gone }: News): Promise<void> {
  const organizations = gone.get('organizations') ?? []
  const users = gone.get('users') ?? []
  await end(place, 'members', 'id', gone.get('members') ?? [])
  await end(place, 'members', 'organization_id', organizations)
  await end(place, 'members', 'user_id', users)
  await end(place, 'organizations', 'id', organizations)
  await end(place, 'users', 'id', users)
  for (const [table, some] of rows) await write(place, table, some)
}

export async function write({ connection, schema }: Place, table: Mirrored, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  const sent = [JSON.stringify(rows)]
  const isWritten = await unless(connection, [UNIQUE_VIOLATION], () => connection.query(upsert(schema, table), sent))
  if (isWritten) return
  await connection.query(giveUpUnique(schema, table), sent)
  await connection.query(upsert(schema, table), sent)
}

/** Deletes rows, or empties them where they are to be kept: for good, or because a row of the product refers to them. */
async function end(place: Place, table: Mirrored, by: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { connection, schema, keepsDeleted } = place
  if (keepsDeleted) await connection.query(markDeleted(schema, table, by), [ids])
  else if (!(await canDelete(place, table, by, ids))) await deleteEach(place, table, by, ids)
}

async function deleteEach(place: Place, table: Mirrored, by: string, ids: readonly string[]): Promise<void> {
  const { connection, schema } = place
  const { rows } = await connection.query(idsWhere(schema, table, by), [ids])
  for (const { id } of rows) {
    const one = [String(id)]
    if (!(await canDelete(place, table, 'id', one))) await connection.query(markDeleted(schema, table, 'id'), [one])
  }
}

/** Keys that the product checks at the commit are checked at once, while it can still be told what held. */
function canDelete({ connection, schema }: Place, table: Mirrored, by: string, ids: readonly string[]) {
  return unless(connection, STILL_REFERRED_TO, async () => {
    await connection.query(deleteRows(schema, table, by), [ids])
    await connection.query('set constraints all immediate')
  })
}

/** Returns whether the work was done; if PostgreSQL refused it for one of the reasons, it is undone. */
async function unless(connection: Connection, codes: readonly string[], work: () => Promise<unknown>) {
  await connection.query('savepoint before')
  try {
    await work()
  } catch (error) {
    if (!(error instanceof DatabaseFault && codes.includes(error.code ?? ''))) throw error
    await connection.query('rollback to savepoint before; release savepoint before')
    return false
  }
  await connection.query('release savepoint before')
  return true
}
