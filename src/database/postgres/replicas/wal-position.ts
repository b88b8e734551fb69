import type { Statement } from '../statements.ts'
import { type Position, parseLsn, trimHeader } from './lsn.ts'

export type ServerRole = 'primary' | 'replica'

/** A server's position in the write-ahead log, as it reports it. */
export interface WalPosition {
  /** Reads from this server see everything up to here. Undefined when the server is not a replica. */
  readonly reached: Position | undefined
  /** No earlier read from this server has seen more than this. */
  readonly seen: Position | undefined
  /** The position the primary has made durable; replicas can reach it. */
  readonly flushed: Position | undefined
}

// On the primary the insert position: the flushed one misses commits that do not wait for the disk. On a
// replica a commit can be read a moment before its record counts as replayed. If more was received than is
// replayed, a position one byte further on includes that record.
export const WAL_POSITION: Readonly<Record<ServerRole, Statement>> = {
  primary: {
    name: 'walPosition',
    text: `select ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int as timeline, lsn::text as reached,
      1 as is_settled, pg_current_wal_flush_lsn()::text as flushed from pg_current_wal_insert_lsn() as lsn`,
    values: [],
    isRead: true,
  },
  replica: {
    name: 'walPosition',
    text: `select greatest(c.timeline_id, r.min_recovery_end_timeline,
        (select received_tli from pg_stat_wal_receiver)) as timeline,
      case when pg_is_in_recovery() then lsn::text end as reached,
      coalesce(lsn = pg_last_wal_receive_lsn(), false) as is_settled, null as flushed
      from pg_last_wal_replay_lsn() as lsn, pg_control_checkpoint() as c, pg_control_recovery() as r`,
    values: [],
    isRead: true,
  },
}

interface WalPositionRow {
  readonly timeline: number
  readonly reached: string | null
  readonly is_settled: 0 | 1
  readonly flushed: string | null
}

export function walPositionOf({ timeline, reached, is_settled, flushed }: WalPositionRow): WalPosition {
  const at = (text: string | null): Position | undefined => {
    const lsn = text === null ? undefined : parseLsn(text)
    return lsn === undefined ? undefined : { timeline, lsn: trimHeader(lsn) }
  }
  const position = at(reached)
  const beyond = position && { timeline, lsn: position.lsn + 1n }
  return { reached: position, seen: is_settled ? position : beyond, flushed: at(flushed) }
}
