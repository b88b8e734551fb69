import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { untilSo } from '../../../test/faults/support/replicated.ts'
import { command } from '../../../test/postgres/databases.ts'
import { startNameServer } from '../../../test/processes/name-server.ts'
import { findRedisServer, startRedis } from '../../../test/processes/redis.ts'
import { it as base } from '../../../test/service/databases.ts'
import { PostgresEngine } from '../../database/postgres/engine.ts'
import type { MetaTables } from '../../database/schema/tables.ts'
import { Store } from '../../database/store.ts'
import { openRedisKeyValue } from '../key-value/redis.ts'
import { SYSTEM_FILES } from './local-names.ts'
import { openNames } from './names.ts'

const PLACES = 32
const redisServer = findRedisServer()

/** All names that a stranger can have looked up at once, at a name server that is silent. */
const it = base.extend<{ strangers: { answered: number } }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  strangers: async ({}, use) => {
    await using nameServer = await startNameServer()
    const names = openNames({ ...SYSTEM_FILES, servers: [nameServer.address], patienceMilliseconds: 600_000 })
    const leaving = new AbortController()
    const strangers = { answered: 0 }
    const waiting = Array.from({ length: PLACES }, (_, i) =>
      names.addresses('client document', `a${i}.example`, { signal: leaving.signal }).catch(() => strangers.answered++),
    )
    await nameServer.hearsSoMany(PLACES)
    await use(strangers)
    leaving.abort()
    await Promise.all(waiting)
  },
})

function byName(url: string): string {
  return url.replace('127.0.0.1', 'localhost')
}

describe('while a name server is silent about names of strangers', () => {
  it('126. PostgreSQL is connected to again by its name', async ({ database, strangers }) => {
    const name = new URL(database.url).pathname.slice(1)
    const store = new Store<MetaTables>(new PostgresEngine('meta', { url: byName(database.url) }))
    await store.ping()
    await command(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    )

    await untilSo('connected again', () =>
      store.ping().then(
        () => true,
        () => false,
      ),
    )
    await store.close()

    assert.equal(strangers.answered, 0)
  })

  it.skipIf(!redisServer)('126. Redis is connected to again by its name (needs a server)', async ({ strangers }) => {
    const redis = await startRedis(redisServer ?? '')
    const keyValue = await openRedisKeyValue(byName(redis.url))
    await keyValue.ping()
    await redis.kill()
    await redis.start()

    await untilSo('connected again', () =>
      keyValue.ping().then(
        () => true,
        () => false,
      ),
    )
    await keyValue.close()
    await redis.stop()

    assert.equal(strangers.answered, 0)
  })
})
