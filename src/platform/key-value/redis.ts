import { EventEmitter } from 'node:events'
import { Redis, type RedisOptions } from 'iovalkey'
import { z } from 'zod'
import { StoreReadOnly, StoreUnavailable } from '../../database/store.ts'
import { within } from '../../rules/time.ts'
import { type Entry, type KeyValue, singles } from './key-value.ts'

const NAME = 'key-value'
const TIMEOUT_MILLISECONDS = 1_000
const SENTINEL_PORT = 26_379
const RECONNECT_AT_MOST_MILLISECONDS = 1_000

// A replica, no memory left, a snapshot that failed (a full disk), or too few replicas.
const REFUSES_WRITES = /\b(READONLY|OOM|MISCONF|NOREPLICAS)\b/

// One step on the server: a stop between counting and expiring would leave a count for ever.
const TOGETHER = `
local reads, writes = unpack(cjson.decode(ARGV[1]))
local replies = {}
local function count(key) return tonumber(redis.call('GET', key) or 0) end
local function note(key) table.insert(replies, { redis.call('GET', key), redis.call('PTTL', key) }) end
for _, key in ipairs(reads) do note(key) end
for _, write in ipairs(writes) do
  local isDone = true
  for _, bound in ipairs(write.bounds) do isDone = isDone and count(bound.key) < bound.below end
  if isDone and write.add then
    redis.call('INCRBY', write.key, write.add)
    if redis.call('PTTL', write.key) < 0 then redis.call('PEXPIRE', write.key, write.milliseconds) end
  elseif isDone then
    isDone = redis.call('SET', write.key, write.value, 'PX', write.milliseconds, 'NX')
  end
  if isDone then note(write.key) else table.insert(replies, { false, 0 }) end
end
return replies`

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
  // If it cannot, the `error` event has given the reason.
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
  const together: KeyValue['together'] = async (reads, writes) => {
    const steps = writes.map(({ while: bounds = [], lifetimeSeconds, ...write }) => ({
      ...write,
      milliseconds: milliseconds(lifetimeSeconds),
      bounds,
    }))
    const keys = [...reads, ...steps.flatMap(({ key, bounds }) => [key, ...bounds.map((bound) => bound.key)])]
    const sent = redis.eval(TOGETHER, keys.length, ...keys, JSON.stringify([reads, steps]))
    const entries = Replies.parse(await orUnavailable(sent)).map(entryOf)
    return {
      found: new Map(reads.flatMap((key, i) => (entries[i] ? [[key, entries[i]] as const] : []))),
      written: entries.slice(reads.length),
    }
  }
  return {
    together,
    ...singles(together),

    async delete(...keys) {
      await orUnavailable(redis.del(...keys))
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

const Replies = z.array(z.tuple([z.string().nullable(), z.number()]))

function entryOf([value, left]: z.output<typeof Replies>[number]): Entry | undefined {
  return value === null ? undefined : { value, expiresInSeconds: Math.ceil(left / 1000) }
}

function milliseconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds * 1000))
}

function unavailable(cause: unknown): StoreUnavailable {
  const isReadOnly = REFUSES_WRITES.test(String(cause))
  return isReadOnly ? new StoreReadOnly(NAME, { cause }) : new StoreUnavailable(NAME, { cause })
}
