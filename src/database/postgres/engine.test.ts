import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Compilable, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { command, freshDatabase, schemaUrl, testServer } from '../../../test/postgres/databases.ts'
import { freePort } from '../../../test/processes/free-port.ts'
import { inRequest } from '../current-request.ts'
import { FIRST_PRIMARY, ReadPosition } from '../read-position.ts'
import { ConstraintViolation, Store, StoreReadOnly, StoreUnavailable } from '../store.ts'
import { PostgresEngine } from './engine.ts'

interface Tables {
  person: { id: number; name: string }
  pet: { id: number; person_id: number }
  pg_prepared_statements: { name: string; statement: string }
}

let server: Awaited<ReturnType<typeof testServer>>
let database: Awaited<ReturnType<typeof freshDatabase>>
let store: Store<Tables>

beforeAll(async () => {
  server = await testServer()
  database = await freshDatabase(server.url)
  store = new Store<Tables>(new PostgresEngine('meta', { url: database.url }))
  await command(database.url, 'create table person (id bigint primary key, name text not null unique)')
  await command(
    database.url,
    'create table pet (id bigint primary key, person_id bigint not null references person)',
  )
})

beforeEach(() => command(database.url, 'truncate person cascade'))

afterAll(async () => {
  await store.close()
  await database.drop()
  await server.stop()
})

function insertPerson(id: number, name: string) {
  return store.insertInto('person').values({ id, name })
}

const names = () => store.selectFrom('person').select('name').orderBy('id').execute()

describe('values', () => {
  it('are numbers for every number and 0 or 1 for truth, as on SQLite', async () => {
    await insertPerson(1_700_000_000_000, 'ann').execute()

    const row = await store
      .selectFrom('person')
      .select(({ fn }) => ['id', fn.countAll().as('count'), fn.sum('id').as('sum')])
      .select(sql<unknown>`name = 'ann'`.as('is_ann'))
      .groupBy(['id', 'name'])
      .executeTakeFirst()

    assert.deepEqual({ ...row }, { id: 1_700_000_000_000, count: 1, sum: 1_700_000_000_000, is_ann: 1 })
  })

  it('that are neither text nor number are refused before anything is sent', async () => {
    const objects = sql`insert into person values (1, ${{ name: 'ann' }})`
    const batch = store.batch([insertPerson(2, 'ben'), { compile: () => objects.compile(store) }])

    await assert.rejects(batch, TypeError)
    assert.deepEqual(await names(), [])
  })

  it('name how many rows a write touched', async () => {
    await insertPerson(1, 'ann').execute()

    const updated = await store.updateTable('person').set({ name: 'anna' }).executeTakeFirst()
    const missed = await store.deleteFrom('person').where('id', '=', 2).executeTakeFirst()

    assert.equal(updated.numUpdatedRows, 1n)
    assert.equal(missed.numDeletedRows, 0n)
  })
})

describe('snapshot', () => {
  it('shows one moment, even if a write commits between two of its reads', async () => {
    await insertPerson(1, 'ann').execute()
    const writer = new pg.Client({ connectionString: database.url })
    await writer.connect()
    await writer.query(`begin; select pg_advisory_xact_lock(${HELD})`)

    const reading = store.snapshot([compiled(COUNT), compiled(WAIT), compiled(COUNT)])
    await untilSomebodyWaits(writer)
    await writer.query("insert into person values (2, 'ben'); commit")
    await writer.end()
    const [before, , after] = await reading

    assert.deepEqual([before[0]?.n, after[0]?.n], [1, 1])
    assert.equal((await names()).length, 2)
  })

  it('refuses to write', async () => {
    await assert.rejects(store.snapshot([insertPerson(1, 'ann')]), TypeError)
  })
})

const COUNT = sql<{ n: number }>`select count(*) as n from person`
const HELD = 7
const WAIT = sql<{ n: number }>`select 1 as n from pg_advisory_xact_lock_shared(${sql.lit(HELD)})`

function compiled<Row>(query: RawBuilder<Row>): Compilable<Row> {
  return { compile: () => query.compile(store) }
}

async function untilSomebodyWaits(client: pg.Client): Promise<void> {
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and objid = ${HELD} and not granted`
  while ((await client.query(waiting)).rows.length === 0) await nextTurn()
}

describe('batch', () => {
  it('returns the rows of each statement in order', async () => {
    const ann = insertPerson(1, 'ann').returning('name')
    const all = store.selectFrom('person').select('name').orderBy('id')
    const rows = await store.batch([ann, insertPerson(2, 'ben'), all])

    assert.deepEqual(rows.of(ann), [{ name: 'ann' }])
    assert.deepEqual(rows.of(all), [{ name: 'ann' }, { name: 'ben' }])
  })

  it('changes nothing if one statement fails, and says which failed', async () => {
    const batch = store.batch([insertPerson(1, 'ann'), insertPerson(1, 'ben'), insertPerson(3, 'cyd')])

    await assert.rejects(batch, (error) => error instanceof ConstraintViolation && error.kind === 'unique')
    assert.deepEqual(await names(), [])
  })

  it('that fails does not affect other statements sent with it', async () => {
    await store.batch([insertPerson(1, 'ann')])

    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) =>
        i % 2 === 0
          ? store.batch([
              insertPerson(1_000 + i, `one ${i}`),
              insertPerson(1, `two ${i}`),
              insertPerson(i, 'x'),
            ])
          : store.batch([insertPerson(1_000 + i, `one ${i}`)]),
      ),
    )

    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 100)
    assert.equal((await names()).length, 101)
  })

  it('that fails does not affect those sent with it that use its statements for the first time', async () => {
    await insertPerson(1, 'ann').execute()
    const oneConnection = new PostgresEngine('meta', { url: database.url, connections: 1 })
    const fresh = new Store<Tables>(oneConnection)
    const insert = (id: number) => fresh.insertInto('person').values({ id, name: `person ${id}` })
    const taken = insert(1)
    const first = (id: number) => insert(id).returning('id')
    const second = (id: number) => insert(id).returning('name')

    const outcomes = await Promise.allSettled([
      fresh.batch([taken, first(10), second(11)]),
      fresh.batch([first(20), taken, second(21)]),
      fresh.batch([first(30), second(31)]),
    ])
    await fresh.close()

    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.name),
      ['ConstraintViolation', 'ConstraintViolation', false],
    )
    assert.deepEqual(await names(), [{ name: 'ann' }, { name: 'person 30' }, { name: 'person 31' }])
  })
})

describe('what the database refuses', () => {
  it('is a violation with its kind, table and column', async () => {
    await insertPerson(1, 'ann').execute()

    await assert.rejects(insertPerson(2, 'ann').execute(), {
      name: 'ConstraintViolation',
      kind: 'unique',
      table: 'person',
    })
    const orphan = store.insertInto('pet').values({ id: 1, person_id: 9 }).execute()
    await assert.rejects(orphan, { name: 'ConstraintViolation', kind: 'foreign-key' })
    const nameless = sql`insert into person values (3, null)`.execute(store)
    await assert.rejects(nameless, { kind: 'not-null', table: 'person', column: 'name' })
  })

  it('is not called unavailable if the statement is wrong', async () => {
    const wrong = sql`select nothing from nowhere`.execute(store)

    await assert.rejects(wrong, (error) => !(error instanceof StoreUnavailable))
  })
})

describe('availability', () => {
  it('a store that is gone is unavailable', async () => {
    const gone = new Store(
      new PostgresEngine('apac-1', { url: `postgres://x@127.0.0.1:${await freePort()}/x` }),
    )

    await assert.rejects(gone.ping(), { name: 'StoreUnavailable', store: 'apac-1' })
    await gone.close()
  })

  it('a server that accepts the connection and stays silent is unavailable, and no request waits for it', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(address && typeof address === 'object')
    const silent = new Store(new PostgresEngine('meta', { url: `postgres://x@127.0.0.1:${address.port}/x` }))

    await assert.rejects(silent.ping(), StoreUnavailable)
    await silent.close()
    server.close()
  })

  it('a server that accepts no writes is read-only', async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    const closed = new Store(new PostgresEngine('meta', { url: url.href }))

    await assert.rejects(closed.ping(), StoreReadOnly)
    await closed.close()
  })

  it('an unknown database and a wrong role are unavailable', async () => {
    const url = new URL(database.url)
    url.pathname = '/nowhere'
    const lost = new Store(new PostgresEngine('meta', { url: url.href }))

    await assert.rejects(lost.ping(), StoreUnavailable)
    await lost.close()
  })

  it('a database that takes no connections is not called a replica', async () => {
    const closed = await freshDatabase(server.url)
    const { pathname } = new URL(closed.url)
    await command(server.url, `alter database ${pathname.slice(1)} allow_connections false`)
    const refused = new Store<Tables>(new PostgresEngine('meta', { url: closed.url }))

    await assert.rejects(refused.ping(), (error) => {
      assert.ok(error instanceof StoreUnavailable && error.cause instanceof Error)
      assert.match(error.cause.message, /is not currently accepting connections$/)
      return true
    })
    await refused.close()
    await closed.drop()
  })

  it('a store that refuses a right is unavailable, and says what to do', async () => {
    const role = `narrow_${process.pid}`
    await command(database.url, `create role ${role} login`)
    const narrow = new Store<Tables>(
      new PostgresEngine('meta', { url: database.url.replace('//postgres@', `//${role}@`) }),
    )

    const refused = narrow.selectFrom('person').select('name').execute()
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof StoreUnavailable && error.cause instanceof Error)
      assert.match(error.cause.message, /for table person: run `gatehouse prepare` as the owner/)
      return true
    })
    await command(database.url, `grant select on person to ${role}`)
    assert.deepEqual(await narrow.selectFrom('person').select('name').execute(), [])

    await narrow.close()
    await command(database.url, `drop owned by ${role}; drop role ${role}`)
  })

  it('connections that the server ends are replaced', async () => {
    await Promise.all(Array.from({ length: 50 }, () => names()))
    const [, name] = new URL(database.url).pathname.split('/')

    await command(
      server.url,
      `select pg_terminate_backend(pid, 1000) from pg_stat_activity where datname = '${name}'`,
    )
    await assert.doesNotReject(async () => {
      while ((await names().catch((error) => error)) instanceof StoreUnavailable);
    })
  })

  it('a statement is prepared however many came before it, and the server keeps only the last 1,000', async () => {
    const number = (n: number) => store.selectNoFrom(sql<number>`${sql.lit(n)}`.as('n')).execute()
    for (let n = 0; n < 1_100; n++) await number(n)

    const held = () => store.selectFrom('pg_prepared_statements').select(['name', 'statement']).execute()
    const isPrepared = (n: number, all: Awaited<ReturnType<typeof held>>) =>
      all.some(({ statement }) => statement === `select ${n} as "n"`)

    const first = await held()
    assert.ok(first.length <= 1_001, `${first.length}`)
    assert.deepEqual([isPrepared(0, first), isPrepared(1_099, first)], [false, true])
    assert.deepEqual(await number(0), [{ n: 0 }])
    assert.equal(isPrepared(0, await held()), true)
  })

  it('a table that changed under a prepared statement causes no error', async () => {
    const all = () => store.selectFrom('person').selectAll().execute()
    await insertPerson(1, 'ann').execute()
    await all()

    await command(database.url, `alter table person add column nick text default 'a'`)
    const rows = await all()
    await command(database.url, 'alter table person drop column nick')

    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ id: 1, name: 'ann', nick: 'a' }],
    )
    assert.equal((await all()).length, 1)
  })
})

describe('shards that are schemas of one database', () => {
  it('are chosen by the options of the address', async () => {
    await command(database.url, 'create schema "apac-1"')
    const url = schemaUrl(database.url, 'apac-1')
    const shard = new Store<Tables>(new PostgresEngine('apac-1', { url }))
    await sql`create table person (id bigint primary key, name text)`.execute(shard)

    await shard.insertInto('person').values({ id: 1, name: 'ann' }).execute()

    assert.deepEqual(await names(), [])
    assert.equal((await shard.selectFrom('person').selectAll().execute()).length, 1)
    await shard.close()
  })
})

describe('bookmark', () => {
  const visit = async (bookmark: string, work: () => Promise<unknown>) => {
    const readPosition = new ReadPosition(bookmark)
    await inRequest({ id: 'test', readPosition }, work)
    return readPosition.next()
  }

  it('names timeline and position after a read and grows with a write', async () => {
    const first = await visit(FIRST_PRIMARY, names)
    const second = await visit(first, () => insertPerson(1, 'ann').execute())

    assert.match(first, /^meta=1-[0-9A-F]+\/[0-9A-F]+$/)
    assert.ok(second > first || second.length > first.length)
  })

  it('does not move if only the caller was looked up', async () => {
    const bookmark = await visit(FIRST_PRIMARY, () =>
      store.primary.selectFrom('person').selectAll().execute(),
    )

    assert.equal(bookmark, FIRST_PRIMARY)
  })

  for (const strange of ['', 'meta=9.9', 'meta=1-FFFFFFFF/FFFFFFFF', 'meta=7-0/1', '%', 'meta=1-0/1~'])
    it(`"${strange}" is answered with the primary's own position`, async () => {
      const bookmark = await visit(strange, names)

      const own = await visit(FIRST_PRIMARY, names)
      assert.ok(bookmark.length <= own.length && bookmark.startsWith('meta=1-0/'))
    })
})
