import { sql } from 'kysely'
import type { CreditEntriesTable } from '../../../database/schema/operations.ts'
import { integer } from '../../../database/sql/integer.ts'
import type { Shard } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'

export function insertBalance(shard: Shard, userId: string) {
  return shard
    .insertInto('credit_balance')
    .values({ user_id: userId, balance: 0 })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
}

/**
 * An entry whose source has already counted is left out; the balance changes only with the entry. `writeAs` has
 * locked the user's row in `residents`, so no other write changes the balance read here.
 */
export function insertEntry(shard: Shard, entry: Omit<CreditEntriesTable, 'balance_after'>) {
  return [
    insertBalance(shard, entry.user_id),
    shard
      .insertInto('credit_entries')
      .columns(['id', 'user_id', 'amount', 'source_type', 'source_id', 'created_at', 'balance_after'])
      .expression((db) =>
        db
          .selectFrom('credit_balance')
          .select([
            sql.val(entry.id).as('id'),
            'user_id',
            integer(entry.amount).as('amount'),
            sql.val(entry.source_type).as('source_type'),
            sql.val(entry.source_id).as('source_id'),
            integer(entry.created_at).as('created_at'),
            sql<number>`balance + cast(${entry.amount} as bigint)`.as('balance_after'),
          ])
          .where('user_id', '=', entry.user_id),
      )
      .onConflict((conflict) => conflict.columns(['source_type', 'source_id']).doNothing()),
    shard
      .updateTable('credit_balance')
      .set((eb) => ({ balance: eb('balance', '+', entry.amount) }))
      .where('user_id', '=', entry.user_id)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('credit_entries').select('id').where('id', '=', entry.id)),
      ),
  ]
}

export function entry(shard: Shard, id: string) {
  return shard.selectFrom('credit_entries').select('id').where('id', '=', id)
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
