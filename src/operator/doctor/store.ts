import { sql } from 'kysely'
import type { Meta } from '../../database/store.ts'

/** The latest time that the schema remembers. */
export async function newestMigrationAt(meta: Meta): Promise<number> {
  const row = await meta.primary
    .selectFrom('schema_migration')
    .select((eb) => eb.fn.max('applied_at').as('at'))
    .executeTakeFirstOrThrow()
  return Number(row.at)
}

export function registeredShards(meta: Meta) {
  return meta.primary.selectFrom('shards').select(['id', 'state']).orderBy('id').execute()
}

export async function hasInitialPassword(meta: Meta, userId: string): Promise<boolean> {
  const row = await meta.primary
    .selectFrom('account')
    .select('id')
    .where('user_id', '=', userId)
    .where('password_is_initial', '=', 1)
    .executeTakeFirst()
  return row !== undefined
}

interface Archiver {
  readonly mode: string
  readonly archived_at: number | null
  readonly failed_at: number | null
}

/** PostgreSQL only. */
export async function archiver(meta: Meta): Promise<Archiver | undefined> {
  const { rows } = await sql<Archiver>`select current_setting('archive_mode') as mode,
    (extract(epoch from last_archived_time) * 1000)::bigint as archived_at,
    (extract(epoch from last_failed_time) * 1000)::bigint as failed_at
    from pg_stat_archiver`.execute(meta.primary)
  return rows[0]
}
