import { type Kysely, sql } from 'kysely'
import type { ApprovalTable, GrantActTable } from '../../../database/schema/products/approvals.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { lockRows, skipLockedRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'
import { livingGrant } from '../grants/statements.ts'

export function insertApproval(meta: Meta, row: ApprovalTable) {
  return meta.insertInto('approval').values(row)
}

/** The same call, sent again under its key. */
export function approvalByKey(meta: Meta, grantId: string, key: string) {
  return meta.primary
    .selectFrom('approval')
    .select(['id', 'path', 'input', 'expires_at'])
    .where('grant_id', '=', grantId)
    .where('key', '=', key)
    .executeTakeFirst()
}

export async function countPending(meta: Meta, userId: string, now: number): Promise<number> {
  const { total } = await pending(meta.primary, userId, now)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** A call of a connection that has ended can no longer be carried out. */
function pending(db: Kysely<MetaTables>, userId: string, now: number) {
  return db
    .selectFrom('approval')
    .where('approval.user_id', '=', userId)
    .where('approval.state', '=', 'pending')
    .where('approval.expires_at', '>', now)
    .where(({ exists }) => exists(livingGrant(db, sql.ref('approval.grant_id'), now)))
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

/** For a decision. */
export function lockedApproval(meta: Meta, id: string, userId: string) {
  return meta
    .selectFrom('approval')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .$call(lockRows(meta))
}

export function decideApproval(meta: Meta, id: string, state: 'approved' | 'denied') {
  return meta.updateTable('approval').set({ state }).where('id', '=', id)
}

export async function keepResult(meta: Meta, id: string, result: string): Promise<void> {
  await meta.updateTable('approval').set({ result }).where('id', '=', id).execute()
}

/** A grant's list is bounded, however long it works. */
const KEPT_ACTS = 1_000

export async function insertActs(meta: Meta, acts: readonly GrantActTable[]): Promise<void> {
  const grants = [...new Set(acts.map(({ grant_id }) => grant_id))].toSorted()
  await meta.batch([
    meta.insertInto('grant_act').values([...acts]),
    ...grants.map((grantId) =>
      meta
        .deleteFrom('grant_act')
        .where('grant_id', '=', grantId)
        .where('id', '<=', (eb) =>
          eb
            .selectFrom('grant_act')
            .select('id')
            .where('grant_id', '=', grantId)
            .orderBy('id', 'desc')
            .offset(KEPT_ACTS)
            .limit(1),
        ),
    ),
  ])
}

export function actsPage(meta: Meta, grantId: string, { offset, limit }: Slice) {
  const ofGrant = meta.selectFrom('grant_act').where('grant_id', '=', grantId)
  return pageWithTotal(
    meta,
    ofGrant.select((eb) => eb.fn.countAll<number>().as('total')),
    ofGrant.selectAll().orderBy('id', 'desc').offset(offset).limit(limit),
  )
}

export async function countActsSince(meta: Meta, grantId: string, since: number): Promise<number> {
  const { acts } = await meta.primary
    .selectFrom('grant_act')
    .select((eb) => eb.fn.countAll<number>().as('acts'))
    .where('grant_id', '=', grantId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return acts
}

/** Locks the rows that it finds, and leaves those in use for the next time. */
export async function deleteApprovalsBefore(meta: Meta, time: number): Promise<void> {
  const old = meta.selectFrom('approval').select('id').where('expires_at', '<=', time)
  await meta
    .deleteFrom('approval')
    .where('id', 'in', old.$call(skipLockedRows(meta)))
    .execute()
}
