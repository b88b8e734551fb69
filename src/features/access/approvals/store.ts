import { type Kysely, sql } from 'kysely'
import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among } from '../../../database/sql/conditions.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { lockRows, skipLockedRows } from '../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'
import { livingGrant, livingToken } from '../grants/statements.ts'

export function insertApproval(meta: Meta, row: ApprovalTable) {
  return meta.insertInto('approval').values(row)
}

/** The same call, sent earlier under its key. The user must be locked; every call that waits locks the user first. */
export function approvalByKey(meta: Meta, grantId: string, key: string) {
  return meta
    .selectFrom('approval')
    .select(['id', 'path', 'input', 'fingerprint', 'expires_at'])
    .where('grant_id', '=', grantId)
    .where('key', '=', key)
}

/** The user must be locked, so that the number can only fall before the commit. */
export function countPending(meta: Meta, userId: string, grantId: string, now: number) {
  return pending(meta, userId, now).select((eb) => [
    eb.fn.countAll<number>().as('of_user'),
    eb.fn.count<number>(eb.case().when('approval.grant_id', '=', grantId).then(1).end()).as('of_grant'),
  ])
}

/** A call of a connection or an exchanged token that has ended can no longer be carried out. */
function pending(db: Kysely<MetaTables>, userId: string, now: number) {
  return db
    .selectFrom('approval')
    .where('approval.user_id', '=', userId)
    .where('approval.state', '=', 'pending')
    .where('approval.expires_at', '>', now)
    .where(({ exists }) => exists(livingGrant(db, sql.ref('approval.grant_id'), now)))
    .where(({ or, eb, exists }) =>
      or([eb('approval.token_hash', 'is', null), exists(livingToken(db, sql.ref('approval.token_hash'), now))]),
    )
}

export function pendingPage(meta: Meta, userId: string, now: number, { offset, limit }: Slice) {
  const waiting = pending(meta, userId, now)
  return pageWithTotal(
    meta,
    waiting.select((eb) => eb.fn.countAll<number>().as('total')),
    waiting
      .selectAll('approval')
      .orderBy('approval.created_at', 'desc')
      .orderBy('approval.id', 'desc')
      .offset(offset)
      .limit(limit),
  )
}

export function approvalOf(meta: Meta, id: string, grantId: string) {
  return meta.primary
    .selectFrom('approval')
    .selectAll()
    .where('id', '=', id)
    .where('grant_id', '=', grantId)
    .executeTakeFirst()
}

export function lockedApproval(meta: Meta, id: string, userId: string) {
  return meta
    .selectFrom('approval')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .$call(lockRows(meta))
}

export async function isLetterDue(meta: Meta, now: number): Promise<boolean> {
  const due = meta.primary.selectFrom('approval').select('id').where('letter_at', '<=', now).limit(1)
  return (await due.executeTakeFirst()) !== undefined
}

/** Calls about which a letter is due, of one user; none if another process is working on them. */
export function lockedDueLetters(meta: Meta, now: number) {
  const first = meta
    .selectFrom('approval')
    .select('user_id')
    .where('letter_at', '<=', now)
    .orderBy('letter_at')
    .limit(1)
  return meta
    .selectFrom('approval')
    .selectAll()
    .where('letter_at', '<=', now)
    .where('user_id', '=', first)
    .orderBy('created_at')
    .orderBy('id')
    .$call(skipLockedRows(meta))
}

/** Those that can still be decided, of calls whose rows are locked. */
export function pendingAmong(meta: Meta, userId: string, ids: readonly string[], now: number) {
  return pending(meta, userId, now).select('approval.id').where(among('approval.id', ids))
}

export function endLetters(meta: Meta, ids: readonly string[]) {
  return meta.updateTable('approval').set({ letter_at: null }).where(among('id', ids))
}

/** Replaces the input in its column, which 0.3.0 parses as JSON. */
const GONE = 'null'

/** Deletes the input with the decision. */
export function decideApproval(
  meta: Meta,
  id: string,
  decided: Pick<ApprovalTable, 'state' | 'fingerprint' | 'expires_at'>,
) {
  return meta
    .updateTable('approval')
    .set({ ...decided, input: GONE, letter_at: null })
    .where('id', '=', id)
}

export async function keepResult(
  meta: Meta,
  id: string,
  kept: Pick<ApprovalTable, 'sealed_result' | 'expires_at'>,
): Promise<void> {
  await meta.updateTable('approval').set(kept).where('id', '=', id).execute()
}

/** Returns false if the result was collected before: of simultaneous requests, one is first. */
export async function collectResult(meta: Meta, id: string, now: number): Promise<boolean> {
  const collected = await meta
    .updateTable('approval')
    .set({ result: null, sealed_result: null, collected_at: now })
    .where('id', '=', id)
    .where('collected_at', 'is', null)
    .returning('id')
    .execute()
  return collected.length > 0
}

/** Deletes inputs that nobody decided about in time and results that nobody collected. Skips rows that are locked. */
export async function emptyExpired(meta: Meta, now: number): Promise<void> {
  const expired = meta
    .selectFrom('approval')
    .select('id')
    .where('expires_at', '<=', now)
    // Matches the index, which both engines compare by its text.
    .where(sql<boolean>`(input <> 'null' or result is not null or sealed_result is not null)`)
    .$call(skipLockedRows(meta))
  await meta
    .updateTable('approval')
    .set({ input: GONE, result: null, sealed_result: null, letter_at: null })
    .where('id', 'in', expired)
    .execute()
}

export async function approvalsBefore(meta: Meta, time: number, atMost: number): Promise<readonly string[]> {
  const old = await meta.primary
    .selectFrom('approval')
    .select('id')
    .where('expires_at', '<=', time)
    .orderBy('expires_at')
    .limit(atMost)
    .execute()
  return old.map(({ id }) => id)
}

export function deleteApprovals(meta: Meta, ids: readonly string[]): Promise<void> {
  return sweepRows(meta, 'approval', 'id', () => among('id', ids))
}
