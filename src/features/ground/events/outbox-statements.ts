import { type Expression, type Kysely, sql } from 'kysely'
import type { EventOutboxTable } from '../../../database/schema/events.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { integer } from '../../../database/sql/integer.ts'
import { type NewRow, NOT_AUDITED } from './statements.ts'

/** What a shard keeps of a row: columns that are null or empty are left out. */
export function outboxRow({ id, created_at, ...rest }: NewRow) {
  const set = Object.entries(rest).filter(([, value]) => value !== null && value !== '')
  return { id, created_at, row: JSON.stringify(Object.fromEntries(set)) }
}

export function rowOfOutbox({ id, created_at, row }: EventOutboxTable): NewRow {
  return { ...NOT_AUDITED, type: null, user_id: null, data: null, id, created_at, ...JSON.parse(row) }
}

/** For the batch of a write in a shard; the relay copies it to the global store. */
export function insertIntoOutbox(db: Kysely<ShardTables>, row: EventOutboxTable) {
  return db.insertInto('event_outbox').values(row)
}

/**
 * The same, only if the condition holds. The condition cannot change before the commit: `writeAs` has locked the
 * user's row in `residents`.
 */
export function insertIntoOutboxIf(
  db: Kysely<ShardTables>,
  { id, created_at, row }: EventOutboxTable,
  condition: Expression<unknown>,
) {
  return db
    .insertInto('event_outbox')
    .columns(['id', 'created_at', 'row'])
    .expression(
      db
        .selectNoFrom([
          sql<string>`cast(${id} as text)`.as('id'),
          integer(created_at).as('created_at'),
          sql<string>`cast(${row} as text)`.as('row'),
        ])
        .where(({ exists }) => exists(condition)),
    )
}
