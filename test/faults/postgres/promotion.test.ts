import assert from 'node:assert/strict'
import { afterAll, beforeAll, it } from 'vitest'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { Store, StoreUnavailable } from '../../../src/database/store.ts'
import { type Cluster, startCluster, streamFrom } from '../../postgres/cluster.ts'
import { command } from '../../postgres/databases.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import { join, untilSo } from '../support/replicated.ts'

let cluster: Cluster
let heir: PostgresServer
let other: PostgresServer

beforeAll(async () => {
  cluster = await startCluster({ replicas: 2 })
  const [first, second] = cluster.replicas
  assert.ok(first && second)
  heir = first
  other = second
  await command(cluster.primary.url(), 'create table counter (id bigint primary key, value bigint not null)')
})

afterAll(() => cluster.stop())

it('a replica in place of the primary is unavailable, and the reason says what to do', async () => {
  const mistaken = new Store(new PostgresEngine('meta', { url: heir.url() }))

  await assert.rejects(mistaken.ping(), (error) => {
    assert.ok(error instanceof StoreUnavailable && error.cause instanceof Error)
    assert.match(error.cause.message, /: it is a replica; give the address of its primary, or promote it$/)
    return true
  })
  await mistaken.close()
})

it('after a promotion and a start with the new address, old bookmarks are harmless and the history is another', async () => {
  const old = join(cluster.primary.url(), [heir.url(), other.url()])
  const { bookmark: before } = await old.write(FIRST_PRIMARY, 1)
  const oldHistory = await old.history()
  await untilSo('both replicas serve', async () => {
    await old.read(before, 1)
    return old.replicas().every(({ state }) => state === 'serving')
  })

  await cluster.primary.kill()
  await old.close()
  await command(heir.url(), 'select pg_promote()')
  await other.stop()
  await other.start([streamFrom(heir, 'replica_2')])
  await using process = join(heir.url(), [other.url()])

  const { value, bookmark } = await process.write(before, 1)
  assert.equal(value, 2)
  assert.match(bookmark, /^meta=2-/)
  assert.notEqual(await process.history(), oldHistory)
  for (const stale of [before, 'meta=1-FFFFFFFF/FFFFFFFF', FIRST_PRIMARY]) {
    const seen = await process.read(stale, 1)
    assert.equal(seen.value, 2)
    assert.match(seen.bookmark, /^meta=2-/)
  }
  await untilSo('the other replica serves the new timeline', async () => {
    assert.equal((await process.read(bookmark, 1)).value, 2)
    return process.servedBy(other.port) > 0
  })
})

it('a replica that was promoted beside its primary is left alone', async () => {
  await using process = join(heir.url(), [other.url()])
  const { bookmark, value } = await process.write(FIRST_PRIMARY, 2)
  await untilSo('it serves', async () => {
    await process.read(bookmark, 2)
    return process.servedBy(other.port) > 0
  })

  await command(other.url(), 'select pg_promote()')
  await command(other.url(), 'update counter set value = 99 where id = 2')
  const next = await process.write(bookmark, 2)

  assert.equal(next.value, value + 1)
  assert.equal((await process.read(next.bookmark, 2)).value, value + 1)
  await untilSo('it is left alone', async () => {
    await process.read(next.bookmark, 2)
    return process.replicas()[0]?.state !== 'serving'
  })
})

it('a replica of another cluster is never read', async () => {
  const stranger = await startCluster({ replicas: 1 })
  const [foreign] = stranger.replicas
  assert.ok(foreign)
  await command(stranger.primary.url(), 'create table counter (id bigint primary key, value bigint not null)')
  await using process = join(heir.url(), [foreign.url()])
  const { bookmark } = await process.write(FIRST_PRIMARY, 3)

  await untilSo('it is known as foreign', async () => {
    assert.equal((await process.read(bookmark, 3)).value, 1)
    return process.replicas()[0]?.state === 'foreign'
  })
  await stranger.stop()
})
