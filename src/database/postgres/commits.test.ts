import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { command, freshDatabase, testServer, withClient } from '../../../test/postgres/databases.ts'
import { Commits } from './commits.ts'
import { PgConnection } from './pg-connection.ts'

const LOCK = 7

describe('a transaction on the primary', () => {
  it('delays a reader until its changes can be seen, however long its process was kept from running', async () => {
    await using server = await openServer()
    await command(server.url, 'create table item (id int)')

    const written = await whileLocked(server.url, async (unlock) => {
      const writing = command(server.url, `${SLOW} insert into item select 1 from held`)
      await untilWriting(server)
      let looks = 0
      const commits = new Commits(() => {
        if (++looks === 5) void unlock()
        return 0
      })
      await commits.awaitVisible(server.connection)
      const seen = await withClient(server.url, (client) => client.query('select id from item'))
      await unlock()
      await writing
      return seen.rows
    })

    assert.deepEqual(written, [{ id: 1 }])
  })

  it('delays a reader by a second at most, and only once', async () => {
    await using server = await openServer()
    const clock = clockOfLooks(100)
    const commits = new Commits(clock.now)

    await whileLocked(server.url, async (unlock) => {
      const writing = command(server.url, `${SLOW} select from held`)
      await untilWriting(server)
      await commits.awaitVisible(server.connection)
      const first = clock.looks()
      await commits.awaitVisible(server.connection)

      assert.equal(first, 11)
      assert.equal(clock.looks() - first, 1)
      await unlock()
      await writing
    })
  })

  it('delays nobody while it waits for its client, or in another database', async () => {
    await using server = await openServer()
    const clock = clockOfLooks(100)
    const commits = new Commits(clock.now)

    for (const url of [server.url, server.otherUrl])
      await withClient(url, async (client) => {
        await client.query('begin')
        await client.query('select pg_current_xact_id()')
        await commits.awaitVisible(server.connection)
      })

    assert.equal(clock.looks(), 2)
  })
})

/** A statement that is given its transaction's id, and then waits. */
const SLOW = `with held as materialized (select pg_current_xact_id() as id, pg_advisory_lock(${LOCK}) as lock)`

async function whileLocked<T>(url: string, work: (unlock: () => Promise<unknown>) => Promise<T>): Promise<T> {
  return withClient(url, async (client) => {
    await client.query(`select pg_advisory_lock(${LOCK})`)
    return work(() => client.query(`select pg_advisory_unlock(${LOCK})`))
  })
}

async function untilWriting({ url }: { readonly url: string }): Promise<void> {
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  await withClient(url, async (client) => {
    while ((await client.query(waiting)).rowCount === 0);
  })
}

/** Each call lets that many milliseconds pass. */
function clockOfLooks(milliseconds: number) {
  let calls = 0
  return { now: () => milliseconds * calls++, looks: () => calls }
}

async function openServer() {
  await using opening = new AsyncDisposableStack()
  const server = await testServer()
  opening.defer(() => server.stop())
  const database = await freshDatabase(server.url)
  opening.defer(() => database.drop())
  const connection = await PgConnection.open({
    url: database.url,
    role: 'primary',
    now: () => 0,
    onEnd: () => undefined,
  })
  opening.defer(() => connection.close())
  const opened = opening.move()
  return {
    url: database.url,
    otherUrl: server.url,
    connection,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
