import { type CountedTable, keepCounts } from '../counting.ts'
import type { Db } from '../migrate.ts'

const EVENTS: CountedTable = {
  table: 'event',
  changing: 'action',
  counts: [{ kind: 'audit_entry', value: (row) => `${row}action`, condition: (row) => `${row}action <> ''` }],
}

const USERS: CountedTable = {
  table: 'user',
  changing: 'created_at',
  counts: [
    { kind: 'user', value: () => `cast('' as text)`, condition: () => 'true' },
    {
      kind: 'sign_up',
      value: (row) => `cast(${row}created_at / 86400000 as text)`,
      condition: () => 'true',
    },
  ],
}

const NOTIFICATIONS: CountedTable = {
  table: 'notifications',
  changing: 'archived_at',
  counts: [
    {
      kind: 'notification',
      value: () => `cast('' as text)`,
      condition: (row) => `${row}target_user_id is null and ${row}archived_at is null`,
    },
  ],
}

export function counts(db: Db) {
  return [EVENTS, USERS, NOTIFICATIONS].flatMap((counted) => keepCounts(db, counted))
}
