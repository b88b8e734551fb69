import type { Kysely } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { EventOutboxTable } from '../../../database/schema/events.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { type NewRow, NOT_AUDITED } from './statements.ts'

/** The stored form in a shard: null and empty columns are left out. */
export function outboxRow({ id, created_at, ...rest }: NewRow) {
  const set = Object.entries(rest).filter(([, value]) => value !== null && value !== '')
  return { id, created_at, row: JSON.stringify(Object.fromEntries(set)) }
}

export function rowOfOutbox({ id, created_at, row }: EventOutboxTable): NewRow {
  return { ...NOT_AUDITED, type: null, user_id: null, data: null, id, created_at, ...JSON.parse(row) }
}

/** Committed with the write in a shard; the relay copies the rows to the global store. */
export const insertIntoOutbox = statement((db: Kysely<ShardTables>, ...rows: readonly EventOutboxTable[]) =>
  db.insertInto('event_outbox').values(rows),
)
