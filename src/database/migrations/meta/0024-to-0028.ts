import { type Counted, fillCounts, keepCounts, rowCountsTable } from '../counting.ts'
import type { Db } from '../migrate.ts'

const EVENTS: Counted = {
  table: 'event',
  changing: 'action',
  counts: [{ kind: 'audit_entry', value: (row) => `${row}action`, condition: (row) => `${row}action <> ''` }],
}

const USERS: Counted = {
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

const NOTIFICATIONS: Counted = {
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

// Each step locks one table at most: a process of the previous release may lock both in the other order.

export function eventCounts(db: Db) {
  return [rowCountsTable(db), ...keepCounts(db, EVENTS)]
}

export function userCounts(db: Db) {
  return keepCounts(db, USERS)
}

export function countsFilled() {
  return [EVENTS, USERS].flatMap(fillCounts)
}

export function notificationCounts(db: Db) {
  return keepCounts(db, NOTIFICATIONS)
}

export function notificationCountsFilled() {
  return fillCounts(NOTIFICATIONS)
}
