import type { ImpersonationActTable, ImpersonationTable } from '../../../database/schema/people/sessions.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'
import { endsOf } from '../sessions/statements.ts'

export function insertImpersonation(meta: Meta, row: ImpersonationTable) {
  return meta.insertInto('impersonation').values(row)
}

/** Those that began in this session of the administrator, locked. */
export function openFrom(meta: Meta, administratorSessionId: string) {
  return open(meta).where('administrator_session_id', '=', administratorSessionId).orderBy('id').$call(lockRows(meta))
}

/** Locks it. Returns no row once it has ended. */
export function openOne(meta: Meta, id: string) {
  return open(meta).where('id', '=', id).$call(lockRows(meta))
}

function open(meta: Meta) {
  return meta.selectFrom('impersonation').selectAll().where('ended_at', 'is', null)
}

export function endImpersonation(meta: Meta, id: string, now: number) {
  return meta.updateTable('impersonation').set({ ended_at: now }).where('id', '=', id)
}

/** Open ones, with when both of their sessions end; null for a session that has ended. Few are open at once. */
export function openOnes({ primary }: Meta) {
  return primary
    .selectFrom('impersonation')
    .select(['impersonation.id', 'impersonation.user_id', 'impersonation.administrator_id'])
    .select((eb) => [
      endsOf(primary, eb.ref('impersonation.id')).as('ends_at'),
      endsOf(primary, eb.ref('impersonation.administrator_session_id')).as('administrators_ends_at'),
    ])
    .where('impersonation.ended_at', 'is', null)
    .execute()
}

export function countImpersonations({ primary }: Meta, userId: string) {
  return primary
    .selectFrom('impersonation')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
}

/** Newest first, each with the time when its session ends. */
export function impersonationsOf({ primary }: Meta, userId: string, { offset, limit }: Slice) {
  return primary
    .selectFrom('impersonation')
    .selectAll()
    .select((eb) => endsOf(primary, eb.ref('impersonation.id')).as('ends_at'))
    .where('user_id', '=', userId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
}

export function actsOf({ primary }: Meta, userId: string) {
  return primary
    .selectFrom('impersonation_act')
    .select(['impersonation_id', 'route', 'at'])
    .where('user_id', '=', userId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_ACTS)
}

export const MOST_ACTS = 1_000
const FORGOTTEN_AT_ONCE = 100

/** Keeps the newest. What two at once leave beyond them is checked again by the next. */
export function insertAct(meta: Meta, act: ImpersonationActTable) {
  const beyond = meta
    .selectFrom('impersonation_act')
    .select('id')
    .where('user_id', '=', act.user_id)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .offset(MOST_ACTS)
    .limit(FORGOTTEN_AT_ONCE)
  return [
    meta.insertInto('impersonation_act').values(act),
    meta.deleteFrom('impersonation_act').where('id', 'in', beyond),
  ] as const
}

export async function deleteAct(meta: Meta, id: string): Promise<void> {
  await meta.deleteFrom('impersonation_act').where('id', '=', id).execute()
}

export async function deleteBefore(meta: Meta, before: number): Promise<void> {
  await sweepRows(meta, 'impersonation', 'id', (row) => row('started_at', '<=', before))
  await sweepRows(meta, 'impersonation_act', 'id', (row) => row('at', '<=', before))
}
