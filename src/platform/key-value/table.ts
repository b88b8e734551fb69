import { sql } from 'kysely'
import type { Meta } from '../../database/store.ts'
import type { Job } from '../background.ts'
import type { KeyValue } from './key-value.ts'

/**
 * In the global store: works everywhere, and is shared by all processes on one store. The key is unique: the conflict
 * locks the row, and its end is checked again after a wait.
 */
export function tableKeyValue(meta: Meta, now: () => number): KeyValue {
  return {
    async setIfAbsent(key, value, lifetimeSeconds) {
      const at = now()
      const taken = await meta
        .insertInto('key_value')
        .values({ key, value, expires_at: endOf(at, lifetimeSeconds) })
        .onConflict((conflict) =>
          conflict
            .column('key')
            .doUpdateSet((row) => ({
              value: row.ref('excluded.value'),
              expires_at: row.ref('excluded.expires_at'),
            }))
            .where('key_value.expires_at', '<=', at),
        )
        .returning('key')
        .execute()
      return taken.length > 0
    },

    async get(key) {
      const at = now()
      const row = await meta.primary
        .selectFrom('key_value')
        .select(['value', 'expires_at'])
        .where('key', '=', key)
        .where('expires_at', '>', at)
        .executeTakeFirst()
      return row && { value: row.value, expiresInSeconds: Math.ceil((row.expires_at - at) / 1000) }
    },

    async delete(key) {
      await meta.deleteFrom('key_value').where('key', '=', key).execute()
    },

    increment: (key, lifetimeSeconds, by = 1) => increment(meta, key, by, now(), lifetimeSeconds),
    ping: () => meta.ping(),
    // The global store is closed where it was opened.
    close: async () => {},
  }
}

/** Expired rows already count as absent; this frees their space. */
export function keyValueSweep(meta: Meta, now: () => number): Job {
  return {
    name: 'key-value-sweep',
    everySeconds: 300,
    async run() {
      await meta.deleteFrom('key_value').where('expires_at', '<=', now()).execute()
    },
  }
}

/** The conflict locks the row, so that no step of two callers is lost. */
async function increment(meta: Meta, key: string, by: number, at: number, lifetimeSeconds: number): Promise<number> {
  const over = sql`key_value.expires_at <= ${at}`
  const { value } = await meta
    .insertInto('key_value')
    .values({ key, value: String(by), expires_at: endOf(at, lifetimeSeconds) })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        value: sql<string>`case when ${over} then excluded.value else cast(cast(key_value.value as bigint) + cast(excluded.value as bigint) as text) end`,
        expires_at: sql<number>`case when ${over} then excluded.expires_at else key_value.expires_at end`,
      }),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return Number(value)
}

function endOf(at: number, lifetimeSeconds: number): number {
  return at + Math.ceil(lifetimeSeconds * 1000)
}
