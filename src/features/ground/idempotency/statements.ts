import type { Belonging } from '../../tenancy/shards/belongings.ts'

export const IDEMPOTENCY_KEYS: Belonging = { table: 'idempotency_keys', key: 'id' }
