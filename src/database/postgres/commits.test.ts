import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { command, withClient } from '../../../test/postgres/databases.ts'
import { it as onServer } from '../../../test/service/databases.ts'
import { Commits } from './commits.ts'
import { PgConnection } from './pg-connection.ts'

const LOCK = 7

const it = onServer.extend<{ readonly connection: PgConnection }>({
  connection: async ({ database: { url } }, use) => {
    const connection = await PgConnection.open({ url, role: 'primary', now: () => 0, onEnd: () => undefined })
    await use(connection)
    await connection.close()
  },
})

describe('a transaction on the primary', () => {
  it('delays a reader until its changes can be seen, however long that is', async ({
    database: { url },
    connection,
  }) => {
    await command(url, 'create table item (id int)')

    const written = await whileLocked(url, async (unlock) => {
      const writing = command(url, `${SLOW} insert into item select 1 from held`)
      await untilWriting(url)
      let looks = 0
      const commits = new Commits(() => {
        if (++looks === 5) void unlock()
        return 0
      })
      await commits.awaitVisible(connection)
      const seen = await withClient(url, (client) => client.query('select id from item'))
      await unlock()
      await writing
      return seen.rows
    })

    assert.deepEqual(written, [{ id: 1 }])
  })

  it('delays a reader by a second at most, and only once', async ({ database: { url }, connection }) => {
    const clock = clockOfLooks(100)
    const commits = new Commits(clock.now)

    await whileLocked(url, async (unlock) => {
      const writing = command(url, `${SLOW} select from held`)
      await untilWriting(url)
      await commits.awaitVisible(connection)
      const first = clock.looks()
      await commits.awaitVisible(connection)

      assert.deepEqual([first, clock.looks() - first], [11, 1])
      await unlock()
      await writing
    })
  })

  it('delays nobody while it waits for its client or is in another database', async ({
    server,
    database,
    connection,
  }) => {
    const clock = clockOfLooks(100)
    const commits = new Commits(clock.now)

    for (const url of [database.url, server])
      await withClient(url, async (client) => {
        await client.query('begin')
        await client.query('select pg_current_xact_id()')
        await commits.awaitVisible(connection)
      })

    assert.equal(clock.looks(), 2)
  })
})

/** A statement that gets an id for its transaction, and then waits. */
const SLOW = `with held as materialized (select pg_current_xact_id() as id, pg_advisory_lock(${LOCK}) as lock)`

async function whileLocked<T>(url: string, work: (unlock: () => Promise<unknown>) => Promise<T>): Promise<T> {
  return withClient(url, async (client) => {
    await client.query(`select pg_advisory_lock(${LOCK})`)
    return work(() => client.query(`select pg_advisory_unlock(${LOCK})`))
  })
}

async function untilWriting(url: string): Promise<void> {
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  await withClient(url, async (client) => {
    while ((await client.query(waiting)).rowCount === 0);
  })
}

/** Each call lets this many milliseconds pass. */
function clockOfLooks(milliseconds: number) {
  let calls = 0
  return { now: () => milliseconds * calls++, looks: () => calls }
}
