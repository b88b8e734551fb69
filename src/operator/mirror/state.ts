import { type Connection, quoted } from '../named-database/connection.ts'
import { timeOf } from './statements.ts'

/** How far the mirror is. Without a cursor, nothing was copied. */
export interface State {
  readonly cursor: string | null
  readonly copying: string | null
  readonly copied_to: string | null
  readonly has_organizations: boolean | null
}

/** Another mirror has gone on from where this one was. */
export class Overtaken extends Error {
  override readonly message = 'another mirror of this schema has gone on'
}

export async function readState(connection: Connection, schema: string): Promise<State> {
  const { rows } = await connection.query(
    `select cursor, copying, copied_to, has_organizations from ${quoted(schema)}.mirror_state`,
  )
  const { cursor, copying, copied_to, has_organizations } = (rows[0] ?? {}) as Partial<State>
  return {
    cursor: cursor ?? null,
    copying: copying ?? null,
    copied_to: copied_to ?? null,
    has_organizations: has_organizations ?? null,
  }
}

/**
 * Goes into the transaction with the rows that it is about. It compares with the state before, since a lock of a session
 * does not hold through every pooler. `currentAt` stays if it is undefined.
 */
export async function moveState(
  connection: Connection,
  schema: string,
  before: State,
  after: State,
  currentAt?: number,
): Promise<void> {
  const { rowCount } = await connection.query(
    `update ${quoted(schema)}.mirror_state
       set cursor = $1, copying = $2, copied_to = $3, has_organizations = cast($4 as boolean),
         current_at = coalesce(${timeOf('$5')}, current_at)
       where only_row and cursor is not distinct from cast($6 as text) and copying is not distinct from cast($7 as text)
         and copied_to is not distinct from cast($8 as text)`,
    [...valuesOf(after), after.has_organizations, currentAt ?? null, ...valuesOf(before)],
  )
  if (rowCount !== 1) throw new Overtaken()
}

function valuesOf({ cursor, copying, copied_to }: State) {
  return [cursor, copying, copied_to]
}
