import { EventEmitter } from 'node:events'
import { Redis } from 'iovalkey'
import { StoreReadOnly, StoreUnavailable } from '../../database/store.ts'
import type { KeyValue } from './key-value.ts'

const NAME = 'key-value'
const TIMEOUT_MILLISECONDS = 1_000
const RECONNECT_AT_MOST_MILLISECONDS = 1_000

// A replica, no memory left, a snapshot that failed (a full disk), or too few replicas.
const REFUSES_WRITES = /\b(READONLY|OOM|MISCONF|NOREPLICAS)\b/

// One step on the server: a stop between counting and expiring would leave a count for ever.
const INCREMENT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`

/** Redis or Valkey. Throws if it cannot be reached now; later it reconnects by itself. */
export async function openRedisKeyValue(url: string): Promise<KeyValue> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MILLISECONDS,
    commandTimeout: TIMEOUT_MILLISECONDS,
    disconnectTimeout: 100,
    // While the server is away a command fails at once instead of running later, when no request waits for it.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_AT_MOST_MILLISECONDS),
  })
  const failures = new EventEmitter<{ failed: [Error] }>()
  redis.on('error', (cause: Error) => failures.emit('failed', new StoreUnavailable(NAME, { cause })))
  const noting: Noting = (reply) =>
    reply.catch((cause: unknown) => {
      const error = unavailable(cause)
      failures.emit('failed', error)
      throw error
    })
  await noting(redis.connect()).catch((error: unknown) => {
    redis.disconnect()
    throw error
  })
  return { ...redisKeyValue(redis, noting), server: { at: new URL(url).host, failures } }
}

type Noting = <T>(reply: Promise<T>) => Promise<T>

function redisKeyValue(redis: Redis, orUnavailable: Noting): KeyValue {
  return {
    async setIfAbsent(key, value, lifetimeSeconds) {
      const set = redis.set(key, value, 'PX', milliseconds(lifetimeSeconds), 'NX')
      return (await orUnavailable(set)) === 'OK'
    },

    async get(key) {
      const replies = await orUnavailable(redis.multi().get(key).pttl(key).exec())
      const [value, left] = (replies ?? []).map(([, reply]) => reply)
      if (typeof value !== 'string' || typeof left !== 'number') return undefined
      return { value, expiresInSeconds: Math.ceil(left / 1000) }
    },

    async delete(key) {
      await orUnavailable(redis.del(key))
    },

    async increment(key, lifetimeSeconds) {
      return Number(await orUnavailable(redis.eval(INCREMENT, 1, key, milliseconds(lifetimeSeconds))))
    },

    // Refused like any other write, and changes nothing, because this key never exists.
    async ping() {
      await orUnavailable(redis.set('ping', '', 'XX'))
    },

    async close() {
      redis.disconnect()
    },
  }
}

function milliseconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds * 1000))
}

function unavailable(cause: unknown): StoreUnavailable {
  const isReadOnly = REFUSES_WRITES.test(String(cause))
  return isReadOnly ? new StoreReadOnly(NAME, { cause }) : new StoreUnavailable(NAME, { cause })
}
