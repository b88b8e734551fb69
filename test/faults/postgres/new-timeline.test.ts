import assert from 'node:assert/strict'
import { afterAll, beforeAll, it } from 'vitest'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { type Cluster, startCluster, streamFrom } from '../../postgres/cluster.ts'
import { command, withClient } from '../../postgres/databases.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import { join, untilSo } from '../support/replicated.ts'

let cluster: Cluster
let middle: PostgresServer
let last: PostgresServer

beforeAll(async () => {
  cluster = await startCluster({ replicas: 2 })
  const [first, second] = cluster.replicas
  assert.ok(first && second)
  middle = first
  last = second
  await command(cluster.primary.url(), 'create table counter (id bigint primary key, value bigint not null)')
  await last.stop()
  await last.start([streamFrom(middle, 'replica_2')])
})

afterAll(() => cluster.stop())

it('a replica that changes to another timeline while it is connected shows nothing of it', async () => {
  await using process = join(cluster.primary.url(), [last.url()])
  const { bookmark } = await process.write(FIRST_PRIMARY, 1)
  await untilSo('the replica serves', async () => {
    await process.read(bookmark, 1)
    return process.servedBy(last.port) > 0
  })
  const connected = await connections(last)

  await command(middle.url(), 'select pg_promote()')
  await command(middle.url(), `select pg_logical_emit_message(true, 'test', repeat('far ahead', 100000))`)
  await command(middle.url(), 'update counter set value = 99 where id = 1')
  await untilSo('the replica shows the other timeline', async () => (await valueOn(last)) === '99')
  const next = await process.write(bookmark, 1)

  assert.equal(next.value, 2)
  assert.match(next.bookmark, /^meta=1-/)
  await untilSo('the replica is left alone', async () => {
    assert.equal((await process.read(next.bookmark, 1)).value, 2)
    return process.replicas()[0]?.state !== 'serving'
  })
  const still = await connections(last)
  assert.ok(
    connected.some((pid) => still.includes(pid)),
    'it was connected throughout',
  )
})

it('it serves the readers of its new primary', async () => {
  await using process = join(middle.url(), [last.url()])
  const { bookmark } = await process.write(FIRST_PRIMARY, 1)

  await untilSo('it serves', async () => {
    assert.equal((await process.read(bookmark, 1)).value, 100)
    return process.servedBy(last.port) > 0
  })

  assert.match(bookmark, /^meta=2-/)
})

async function valueOn(server: PostgresServer): Promise<unknown> {
  return withClient(server.url(), async (client) => {
    const { rows } = await client.query('select value::text from counter where id = 1')
    return rows[0]?.value
  })
}

/** The process ids at the server's end. */
async function connections(server: PostgresServer): Promise<readonly number[]> {
  return withClient(server.url(), async (client) => {
    const { rows } = await client.query(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    return rows.map(({ pid }) => pid)
  })
}
