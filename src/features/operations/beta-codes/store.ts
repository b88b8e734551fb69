import { sql } from 'kysely'
import { contains } from '../../../database/sql/conditions.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { directionOf, type Page, type Slice } from '../../../rules/paging.ts'
import { emailOf } from '../../people/users/statements.ts'
import type { ListBetaCodes } from './input.ts'

export function insertUsed(meta: Meta, code: string, userId: string, now: number) {
  return meta.insertInto('beta_codes').values({ code, used_by: userId, created_at: now, used_at: now })
}

export function insertFree(meta: Meta, codes: readonly string[], now: number) {
  return meta
    .insertInto('beta_codes')
    .values(codes.map((code) => ({ code, used_by: null, created_at: now, used_at: null })))
}

export function bind(meta: Meta, code: string, userId: string, now: number) {
  return meta.updateTable('beta_codes').set({ used_by: userId, used_at: now }).where('code', '=', code)
}

export function lockedCode(meta: Meta, code: string) {
  return meta.selectFrom('beta_codes').select('used_at').where('code', '=', code).$call(lockRows(meta))
}

/** Runs in a decision that has locked the user, so that no other gives the user a code. */
export function codeOf(meta: Meta, userId: string) {
  return meta.selectFrom('beta_codes').select('code').where('used_by', '=', userId)
}

type BetaCodeFilter = Omit<ListBetaCodes, keyof Page>

export function page(meta: Meta, filter: BetaCodeFilter, { offset, limit }: Slice) {
  const direction = directionOf(filter.order)
  const shown = matching(meta, filter)
    .select(['code', 'used_by', 'created_at', 'used_at'])
    .orderBy('created_at', direction)
    .orderBy('code', direction)
    .offset(offset)
    .limit(limit)
  return meta
    .selectFrom(shown.as('listed'))
    .selectAll()
    .select(emailOf(meta, sql.ref('listed.used_by')).as('used_by_email'))
    .orderBy('listed.created_at', direction)
    .orderBy('listed.code', direction)
}

export function count(meta: Meta, filter: BetaCodeFilter) {
  return matching(meta, filter).select((eb) => eb.fn.countAll<number>().as('total'))
}

function matching(meta: Meta, { used, search }: BetaCodeFilter) {
  return meta
    .selectFrom('beta_codes')
    .where((eb) =>
      eb.and([
        ...(used === undefined ? [] : [eb('used_at', used ? 'is not' : 'is', null)]),
        ...contains(meta, 'code', search),
      ]),
    )
}
