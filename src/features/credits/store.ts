import { sql } from 'kysely'
import type { Shard } from '../../platform/store.ts'
import type { CreditEntriesTable } from '../../store/schema.ts'

export async function insertBalance(shard: Shard, userId: string): Promise<void> {
  await balanceOf(shard, userId).execute()
}

/** Makes the row or locks it, so that what follows in the batch sees every entry committed before. */
function balanceOf(shard: Shard, userId: string) {
  return shard
    .insertInto('credit_balance')
    .values({ user_id: userId, balance: 0 })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ balance: (eb) => eb.ref('credit_balance.balance') }),
    )
}

/** The balance moves only if this entry is the first of its source. */
export async function insertEntry(
  shard: Shard,
  entry: Omit<CreditEntriesTable, 'balance_after'>,
): Promise<void> {
  await shard.batch([
    balanceOf(shard, entry.user_id),
    shard
      .updateTable('credit_balance')
      .set((eb) => ({ balance: eb('balance', '+', entry.amount) }))
      .where('user_id', '=', entry.user_id)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('credit_entries')
              .select('id')
              .where('source_type', '=', entry.source_type)
              .where('source_id', '=', entry.source_id),
          ),
        ),
      ),
    shard
      .insertInto('credit_entries')
      .columns(['id', 'user_id', 'amount', 'source_type', 'source_id', 'created_at', 'balance_after'])
      .expression((db) =>
        db
          .selectFrom('credit_balance')
          .select([
            sql.val(entry.id).as('id'),
            'user_id',
            sql<number>`cast(${entry.amount} as bigint)`.as('amount'),
            sql.val(entry.source_type).as('source_type'),
            sql.val(entry.source_id).as('source_id'),
            sql<number>`cast(${entry.created_at} as bigint)`.as('created_at'),
            'balance as balance_after',
          ])
          .where('user_id', '=', entry.user_id),
      )
      .onConflict((conflict) => conflict.columns(['source_type', 'source_id']).doNothing()),
  ])
}
