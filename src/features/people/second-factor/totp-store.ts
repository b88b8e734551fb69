import type { TotpFactorTable } from '../../../database/schema/people/second-factor.ts'
import type { Meta } from '../../../database/store.ts'

/** The confirmed one, or the one that waits for its first code; it stays for a decision that has locked the user. */
export function totpOf(meta: Meta, userId: string, isConfirmed: 0 | 1) {
  return meta.primary
    .selectFrom('totp_factor')
    .selectAll()
    .where('user_id', '=', userId)
    .where('is_confirmed', '=', isConfirmed)
}

export function oldestTotp(meta: Meta) {
  return meta.primary
    .selectFrom('totp_factor')
    .select('sealed')
    .where('is_confirmed', '=', 1)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export function deleteTotp(meta: Meta, userId: string, isConfirmed: 0 | 1) {
  return meta.deleteFrom('totp_factor').where('user_id', '=', userId).where('is_confirmed', '=', isConfirmed)
}

export function insertTotp(meta: Meta, row: Pick<TotpFactorTable, 'id' | 'user_id' | 'sealed' | 'created_at'>) {
  return meta.insertInto('totp_factor').values({ ...row, is_confirmed: 0, last_step: 0, last_use: '' })
}

/** The factor takes effect with the first correct code. */
export function setTotpConfirmed(meta: Meta, id: string, step: number, use: string, now: number) {
  return meta
    .updateTable('totp_factor')
    .set({ is_confirmed: 1, last_step: step, last_use: use, last_used_at: now })
    .where('id', '=', id)
}

/** Changes nothing if this step or a later one has been used. After `lockUser`, so one code at a time. */
export function spendTotp(
  meta: Meta,
  id: string,
  { step, use, now }: { readonly step: number; readonly use: string; readonly now: number },
) {
  return meta
    .updateTable('totp_factor')
    .set({ last_step: step, last_use: use, last_used_at: now })
    .where('id', '=', id)
    .where('is_confirmed', '=', 1)
    .where('last_step', '<', step)
    .returning('id')
}
