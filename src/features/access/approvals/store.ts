import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { ApprovalTable, GrantActTable } from '../../../database/schema/products/approvals.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among } from '../../../database/sql/conditions.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'
import { livingGrant, livingToken } from '../grants/statements.ts'

export function insertApproval(meta: Meta, row: ApprovalTable) {
  return meta.insertInto('approval').values(row)
}

/** The same call, sent again under its key. Behind the user's lock, which every call that is to wait takes first. */
export function approvalByKey(meta: Meta, grantId: string, key: string) {
  return meta
    .selectFrom('approval')
    .select(['id', 'path', 'input', 'expires_at'])
    .where('grant_id', '=', grantId)
    .where('key', '=', key)
}

/** Behind the same lock: only fewer can wait by the end. */
export function countPending(meta: Meta, userId: string, now: number) {
  return pending(meta, userId, now).select((eb) => eb.fn.countAll<number>().as('total'))
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
      or([
        eb('approval.token_hash', 'is', null),
        exists(livingToken(db, sql.ref('approval.token_hash'), now)),
      ]),
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

/** Returns what no longer is in the lists. */
export async function insertActs(meta: Meta, acts: readonly GrantActTable[]) {
  const grants = [...new Set(acts.map(({ grant_id }) => grant_id))].toSorted()
  const trims = grants.map((grantId) => trim(meta, { grantId }))
  const rows = await meta.batch([meta.insertInto('grant_act').values([...acts]), ...trims])
  return trims.flatMap((trim) => rows.of(trim))
}

const trim = prepared({ grantId: '' }, (db: Kysely<MetaTables>, { grantId }) =>
  db
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
    )
    .returning(['grant_id', 'created_at']),
)

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
