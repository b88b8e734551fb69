import type { Belonging } from '../../tenancy/shards/belongings.ts'

export const CREDITS: readonly Belonging[] = [
  { table: 'credit_balance', key: 'user_id' },
  { table: 'credit_entries', key: 'id' },
]
