import { EventEmitter } from 'node:events'
import { Redis, type RedisOptions } from 'iovalkey'
import { StoreReadOnly, StoreUnavailable } from '../../database/store.ts'
import { within } from '../../rules/time.ts'
import type { KeyValue } from './key-value.ts'

const NAME = 'key-value'
const TIMEOUT_MILLISECONDS = 1_000
const SENTINEL_PORT = 26_379
const RECONNECT_AT_MOST_MILLISECONDS = 1_000

// A replica, no memory left, a snapshot that failed (a full disk), or too few replicas.
const REFUSES_WRITES = /\b(READONLY|OOM|MISCONF|NOREPLICAS)\b/

// One step on the server: a stop between counting and expiring would leave a count for ever.
const INCREMENT = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`

// The driver's message about a command that it could not send.
const NOT_SENT = /Stream isn't writeable/

/** Redis or Valkey. If it cannot be reached now, commands fail until it can; it reconnects by itself. */
export async function openRedisKeyValue(url: string): Promise<KeyValue> {
  const options: RedisOptions = {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MILLISECONDS,
    commandTimeout: TIMEOUT_MILLISECONDS,
    disconnectTimeout: 100,
    // While the server is away a command fails at once instead of running later, when no request waits for it.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: reconnectAfter,
  }
  const sentinels = sentinelsOf(url)
  const redis = sentinels ? new Redis({ ...options, ...sentinels }) : new Redis(url, options)
  const failures = new EventEmitter<{ failed: [Error] }>()
  let whyNotSent = new Error('It accepts connections, but does not serve yet.')
  redis.on('error', (cause: Error) => {
    whyNotSent = cause
    failures.emit('failed', new StoreUnavailable(NAME, { cause }))
  })
  redis.on('ready', () => {
    whyNotSent = new Error('The connection was closed.')
  })
  const noting: Noting = (reply) =>
    reply.catch((cause: unknown) => {
      const error = unavailable(NOT_SENT.test(String(cause)) ? whyNotSent : cause)
      failures.emit('failed', error)
      throw error
    })
  // `error` has told why, if it cannot.
  await within(
    TIMEOUT_MILLISECONDS,
    redis.connect().catch(() => undefined),
  )
  return { ...redisKeyValue(redis, noting), server: { at: hostsOf(url), failures } }
}

/** `redis-sentinel://[user:password@]host:port,host:port/name[/database]`: the sentinels say which server is the primary. */
function sentinelsOf(url: string): RedisOptions | undefined {
  if (!url.startsWith('redis-sentinel:')) return undefined
  const hosts = hostsOf(url).split(',')
  const { username, password, pathname, searchParams } = new URL(url.replace(/,[^/]*/, ''))
  const [, name = '', database = '0'] = pathname.split('/')
  return {
    name: decodeURIComponent(name),
    sentinels: hosts.map((one) => {
      const { hostname, port } = new URL(`redis://${one}`)
      return { host: hostname, port: Number(port || SENTINEL_PORT) }
    }),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(searchParams.has('sentinel_password') && {
      sentinelPassword: searchParams.get('sentinel_password') ?? '',
    }),
    db: Number(database),
    sentinelRetryStrategy: reconnectAfter,
    // The former primary can be a replica now: the sentinels know the new one.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  }
}

function reconnectAfter(attempt: number): number {
  return Math.min(attempt * 100, RECONNECT_AT_MOST_MILLISECONDS)
}

function hostsOf(url: string): string {
  return /^[a-z-]+:\/\/(?:[^/?#]*@)?([^/?#@]*)/.exec(url)?.[1] ?? ''
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

    async increment(key, lifetimeSeconds, by = 1) {
      return Number(await orUnavailable(redis.eval(INCREMENT, 1, key, milliseconds(lifetimeSeconds), by)))
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
