import type { Belonging } from '../shards/belongings.ts'

export const IDEMPOTENCY_KEYS: Belonging = { table: 'idempotency_keys', key: 'id' }
