import { sql } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { CreditEntriesTable } from '../../../database/schema/operations.ts'
import { integer } from '../../../database/sql/integer.ts'
import { ConstraintViolation, type Shard } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'
import { balanceOf } from './statements.ts'

export const insertBalance = statement((shard: Shard, userId: string) =>
  shard
    .insertInto('credit_balance')
    .values({ user_id: userId, balance: 0 })
    .onConflict((conflict) => conflict.column('user_id').doNothing()),
)

/** `decideAs` has locked the user's row in `residents`, so no other write changes the balance in between. */
export function addEntry(shard: Shard, entry: Omit<CreditEntriesTable, 'balance_after'>) {
  const { id, user_id, amount, source_type, source_id, created_at } = entry
  const balance = balanceOf(shard, user_id).select([
    sql.val(id).as('id'),
    sql.val(user_id).as('user_id'),
    integer(amount).as('amount'),
    sql.val(source_type).as('source_type'),
    sql.val(source_id).as('source_id'),
    integer(created_at).as('created_at'),
  ])
  return [
    insertBalance(shard, user_id),
    shard
      .updateTable('credit_balance')
      .set((eb) => ({ balance: eb('balance', '+', amount) }))
      .where('user_id', '=', user_id),
    shard
      .insertInto('credit_entries')
      .columns(['balance_after', 'id', 'user_id', 'amount', 'source_type', 'source_id', 'created_at'])
      .expression(balance),
  ]
}

/** True if another entry already has this source. */
export function hasCounted(error: unknown): boolean {
  return error instanceof ConstraintViolation && error.kind === 'unique' && error.table === 'credit_entries'
}

export function balanceAfter(shard: Shard, entryId: string) {
  return shard.selectFrom('credit_entries').select('balance_after as balance').where('id', '=', entryId)
}

export function entriesPage(shard: Shard, userId: string, { offset, limit }: Slice) {
  return shard
    .selectFrom('credit_entries')
    .select(['id', 'amount', 'balance_after', 'source_type', 'source_id', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
}

export function countEntries(shard: Shard, userId: string) {
  return shard
    .selectFrom('credit_entries')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
}
