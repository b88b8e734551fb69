import { type QueryExecutorProvider, sql } from 'kysely'

interface Archiver {
  readonly mode: string
  readonly archived_at: number | null
  readonly failed_at: number | null
}

/** The state of PostgreSQL's archiving of its write-ahead log. */
export async function archiver(primary: QueryExecutorProvider): Promise<Archiver | undefined> {
  const { rows } = await sql<Archiver>`select current_setting('archive_mode') as mode,
    (extract(epoch from last_archived_time) * 1000)::bigint as archived_at,
    (extract(epoch from last_failed_time) * 1000)::bigint as failed_at
    from pg_stat_archiver`.execute(primary)
  return rows[0]
}
