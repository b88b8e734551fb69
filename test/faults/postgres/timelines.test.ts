import assert from 'node:assert/strict'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { startCluster, streamFrom } from '../../postgres/cluster.ts'
import { command, withClient } from '../../postgres/databases.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import { COUNTER, join, type Member, onCluster, untilSo } from '../support/replicated.ts'

const it = onCluster({ replicas: 2 })

it('a replica of another cluster is never read', async ({ primary }) => {
  const stranger = await startCluster({ replicas: 1 })
  await command(stranger.primary.url(), COUNTER)
  await using process = join(
    primary.url(),
    stranger.replicas.map((foreign) => foreign.url()),
  )
  const { bookmark } = await process.write(FIRST_PRIMARY, 3)

  await untilSo('it is known as foreign', async () => {
    assert.equal((await process.read(bookmark, 3)).value, 1)
    return process.replicas()[0]?.state === 'foreign'
  })
  await stranger.stop()
})

it('a replica that changes to another timeline while it is connected shows nothing of it', async ({
  primary,
  first: middle,
  second: last,
}) => {
  await last.stop()
  await last.start([streamFrom(middle, 'replica_2')])
  await using process = join(primary.url(), [last.url()])
  const { bookmark } = await process.write(FIRST_PRIMARY, 1)
  await served(process, last, bookmark, 1)
  const connected = await columnOn(last, CONNECTIONS)

  await command(middle.url(), 'select pg_promote()')
  await command(middle.url(), `select pg_logical_emit_message(true, 'test', repeat('far ahead', 100000))`)
  await command(middle.url(), 'update counter set value = 99 where id = 1')
  await untilSo('the replica shows the other timeline', async () => (await columnOn(last, VALUE))[0] === '99')
  const next = await process.write(bookmark, 1)

  assert.equal(next.value, 2)
  assert.match(next.bookmark, /^meta=1-/)
  await leftAlone(process, next.bookmark, 1, 2)
  const still = await columnOn(last, CONNECTIONS)
  assert.ok(
    connected.some((pid) => still.includes(pid)),
    'it was connected throughout',
  )
})

it('a replica serves the readers of its new primary, and is not used once it is promoted beside that', async ({
  first: middle,
  second: last,
}) => {
  await using process = join(middle.url(), [last.url()])
  const { bookmark, value } = await process.write(FIRST_PRIMARY, 1)
  await served(process, last, bookmark, value)

  await command(last.url(), 'select pg_promote()')
  await command(last.url(), 'update counter set value = 999 where id = 1')
  const next = await process.write(bookmark, 1)

  assert.deepEqual([value, next.value], [100, 101])
  assert.match(bookmark, /^meta=2-/)
  await leftAlone(process, next.bookmark, 1, 101)
})

function served(process: Member, { port }: PostgresServer, bookmark: string, value: number): Promise<void> {
  return untilSo('the replica serves', async () => {
    assert.equal((await process.read(bookmark, 1)).value, value)
    return process.servedBy(port) > 0
  })
}

function leftAlone(process: Member, bookmark: string, id: number, value: number): Promise<void> {
  return untilSo('the replica is left alone', async () => {
    assert.equal((await process.read(bookmark, id)).value, value)
    return process.replicas()[0]?.state !== 'serving'
  })
}

const VALUE = 'select value::text from counter where id = 1'
/** The process ids at the server's end. */
const CONNECTIONS = `select pid from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`

function columnOn(server: PostgresServer, text: string): Promise<readonly unknown[]> {
  return withClient(server.url(), async (client) => {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows.flat()
  })
}
