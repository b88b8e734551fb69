import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Compilable, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, it, onTestFinished } from 'vitest'
import { command, freshDatabase, schemaUrl, testServer, withClient } from '../../../test/postgres/databases.ts'
import { freePort } from '../../../test/processes/free-port.ts'
import { inRequest, outsideBookmark } from '../current-request.ts'
import { FIRST_PRIMARY, ReadPosition } from '../read-position.ts'
import { ConstraintViolation, Store, StoreReadOnly, StoreUnavailable, TookTooLong } from '../store.ts'
import { PostgresEngine } from './engine.ts'
import { LongReads } from './long-reads.ts'

interface Tables {
  person: { id: number; name: string }
  pet: { id: number; person_id: number }
  pg_prepared_statements: { name: string; statement: string }
}

let server: string
let database: Awaited<ReturnType<typeof freshDatabase>>
let store: Store<Tables>

beforeAll(async () => {
  server = await testServer()
  database = await freshDatabase(server)
  store = new Store<Tables>(new PostgresEngine('meta', { url: database.url }))
  await command(database.url, 'create table person (id bigint primary key, name text not null unique)')
  await command(database.url, 'create table pet (id bigint primary key, person_id bigint not null references person)')
})

beforeEach(() => command(database.url, 'truncate person cascade'))

afterAll(async () => {
  await store.close()
  await database.drop()
})

/** A store of its own, closed when the test has ended. */
function openStore(url: string, options: { readonly name?: string; readonly connections?: number } = {}) {
  const { name = 'meta', ...rest } = options
  const opened = new Store<Tables>(new PostgresEngine(name, { url, ...rest }))
  onTestFinished(() => opened.close())
  return opened
}

function insertPerson(id: number, name: string) {
  return store.insertInto('person').values({ id, name })
}

const names = () => store.selectFrom('person').select('name').orderBy('id').execute()

describe('a read that takes long', () => {
  const sleeping = compiled(sql<number>`select 1 as one from pg_sleep(60) as slept`)

  it('is cancelled on the server when its request is abandoned, and the next one works', async () => {
    const leaving = new AbortController()
    const watcher = new pg.Client({ connectionString: database.url })
    await watcher.connect()
    const running = async () => {
      const { rows } = await watcher.query(
        "select pid from pg_stat_activity where state = 'active' and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()",
      )
      return rows.length
    }

    const read = inRequest({ id: 'test', sender: { leaving: leaving.signal } }, () =>
      store.snapshot([sleeping], 'primary', 'long'),
    )
    const refused = assert.rejects(read, TookTooLong)
    while ((await running()) === 0);
    leaving.abort()
    await refused
    const [counted] = await store.snapshot([compiled(COUNT)], 'primary', 'long')

    assert.equal(await running(), 0)
    assert.equal(counted.length, 1)
    await watcher.end()
  })

  it('is not begun for a request that is abandoned', async () => {
    const read = inRequest({ id: 'test', sender: { leaving: AbortSignal.abort() } }, () =>
      store.snapshot([sleeping], 'primary', 'long'),
    )

    await assert.rejects(read, TookTooLong)
  })
})

describe('a long read that is abandoned as its last row comes', () => {
  it('leaves its connection to nobody, because the cancellation may still be on its way there', async () => {
    const onItsWay = new Promise<never>(() => undefined)
    const long = new LongReads(database.url, Date.now, () => onItsWay)
    const leaving = new AbortController()
    const used: unknown[] = []
    const read = (ended?: () => void) =>
      long.read(async (connection) => {
        used.push(connection)
        ended?.()
      })

    const abandoned = inRequest({ id: 'test', sender: { leaving: leaving.signal } }, () => read(() => leaving.abort()))

    await assert.rejects(abandoned, TookTooLong)
    await read()
    assert.notEqual(used[0], used[1])
    await long.close()
  })
})

describe('a long read that is abandoned while it waits for its turn', () => {
  it('leaves its connection to the next, because nothing was cancelled there', async () => {
    const long = new LongReads(database.url, Date.now, () => new Promise<never>(() => undefined))
    const leaving = new AbortController()
    const held = Promise.withResolvers<void>()
    const used = new Set<unknown>()
    const read = () =>
      long.read(async (connection) => {
        used.add(connection)
        await held.promise
      })

    const first = [read(), read()]
    const abandoned = inRequest({ id: 'test', sender: { leaving: leaving.signal } }, read)
    const refused = assert.rejects(abandoned, TookTooLong)
    const next = [read(), read()]
    leaving.abort()
    held.resolve()
    await Promise.all([...first, refused, ...next])

    assert.equal(used.size, 2)
    await long.close()
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

    assert.deepEqual([before[0]?.n, after[0]?.n, (await names()).length], [1, 1, 2])
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

describe('connections', () => {
  it('that are all busy count the statements behind others as waiting', async () => {
    const fresh = openStore(database.url, { connections: 1 })
    const holder = new pg.Client(database.url)
    await holder.connect()
    await holder.query(`select pg_advisory_lock(${HELD})`)

    const idle = fresh.connections()
    const held = fresh.batch([compiled(WAIT)])
    await untilSomebodyWaits(holder)
    const behind = [insertPerson(1, 'ann'), insertPerson(2, 'ben')].map((insert) => fresh.batch([insert]))
    while ((fresh.connections()?.waiting ?? 0) < behind.length) await nextTurn()
    await holder.end()
    await Promise.all([held, ...behind])

    assert.equal(idle?.waiting, 0)
    assert.equal(fresh.connections()?.waiting, 0)
  })
})

describe('batch', () => {
  it('that fails does not affect other statements sent with it', async () => {
    await store.batch([insertPerson(1, 'ann')])

    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) =>
        i % 2 === 0
          ? store.batch([insertPerson(1_000 + i, `one ${i}`), insertPerson(1, `two ${i}`), insertPerson(i, 'x')])
          : store.batch([insertPerson(1_000 + i, `one ${i}`)]),
      ),
    )

    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 100)
    assert.equal((await names()).length, 101)
  })

  it('that fails at its commit has failed, and leaves nothing', async () => {
    await command(database.url, 'create table late (id bigint unique deferrable initially deferred)')
    const insert = (id: number) => compiled(sql`insert into late values (${id})`)

    await assert.rejects(store.batch([insert(1), insertPerson(1, 'ann'), insert(1)]), ConstraintViolation)
    await assert.rejects(store.batch([insert(2), insert(2)]), ConstraintViolation)

    assert.deepEqual(await names(), [])
  })

  it('has begin and commit where Citus would commit its first statement at once', async () => {
    const citus = await freshDatabase(server)
    // Only an extension's name is looked at.
    await command(citus.url, `set allow_system_table_mods = on; update pg_extension set extname = 'citus'`)
    const preparedBy = async (url: string) => {
      const held = sql<{ name: string }>`select name from pg_prepared_statements where name in ('begin', 'commit')`
      const opened = openStore(url, { connections: 1 })
      const statement = compiled(held)
      await opened.batch([statement, compiled(sql`select 1`)])
      return (await opened.batch([statement]))
        .of(statement)
        .map(({ name }) => name)
        .toSorted()
    }

    assert.deepEqual(await preparedBy(database.url), [])
    assert.deepEqual(await preparedBy(citus.url), ['begin', 'commit'])
    await citus.drop()
  })

  it('that fails does not affect those sent with it that use its statements for the first time', async () => {
    await insertPerson(1, 'ann').execute()
    const fresh = openStore(database.url, { connections: 1 })
    const insert = (id: number) => fresh.insertInto('person').values({ id, name: `person ${id}` })
    const taken = insert(1)
    const first = (id: number) => insert(id).returning('id')
    const second = (id: number) => insert(id).returning('name')

    const outcomes = await Promise.allSettled([
      fresh.batch([taken, first(10), second(11)]),
      fresh.batch([first(20), taken, second(21)]),
      fresh.batch([first(30), second(31)]),
    ])

    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.name),
      ['ConstraintViolation', 'ConstraintViolation', false],
    )
    assert.deepEqual(await names(), [{ name: 'ann' }, { name: 'person 30' }, { name: 'person 31' }])
  })
})

it('a wrong statement does not make a store unavailable', async () => {
  const wrong = sql`select nothing from nowhere`.execute(store)

  await assert.rejects(wrong, (error) => !(error instanceof StoreUnavailable))
})

async function unavailableBecause(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((reason: unknown) => reason)
  assert.ok(error instanceof StoreUnavailable && error.cause instanceof Error)
  return error.cause.message
}

describe('availability', () => {
  const options = (url: string, value: string) => {
    const changed = new URL(url)
    changed.searchParams.set('options', value)
    return changed.href
  }

  it('a store that is gone, an unknown database and a wrong role are unavailable', async () => {
    const gone = openStore(`postgres://x@127.0.0.1:${await freePort()}/x`, { name: 'apac-1' })
    await assert.rejects(gone.ping(), { name: 'StoreUnavailable', store: 'apac-1' })

    for (const part of ['pathname', 'username'] as const) {
      const changed = new URL(database.url)
      changed[part] = 'nowhere'
      await assert.rejects(openStore(changed.href).ping(), StoreUnavailable)
    }
  })

  it('a server that accepts the connection and stays silent is unavailable, and no request waits for it', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    assert.ok(address && typeof address === 'object')

    await assert.rejects(openStore(`postgres://x@127.0.0.1:${address.port}/x`).ping(), StoreUnavailable)
    silent.close()
  })

  it('a check waits for no statement and no decision of a request', async () => {
    const busy = openStore(database.url, { connections: 1 })
    const held = sql`select pg_advisory_xact_lock(7)`
    await withClient(database.url, async (other) => {
      await other.query('select pg_advisory_lock(7)')
      const waiting = [busy.batch([compiled(held)]), busy.decide([compiled(held)], async () => undefined)]

      await busy.ping()
      const { roundTripMilliseconds } = await busy.examine()

      await other.query('select pg_advisory_unlock(7)')
      await Promise.all(waiting)
      assert.ok(roundTripMilliseconds < 5_000)
    })
  })

  it('a server that accepts no writes is read-only', async () => {
    const closed = openStore(options(database.url, '-c default_transaction_read_only=on'))

    await assert.rejects(closed.ping(), StoreReadOnly)
  })

  it('a database that takes no connections is not called a replica', async () => {
    const closed = await freshDatabase(server)
    const { pathname } = new URL(closed.url)
    await command(server, `alter database ${pathname.slice(1)} allow_connections false`)

    const words = await unavailableBecause(openStore(closed.url).ping())

    assert.match(words, /is not currently accepting connections$/)
    await closed.drop()
  })

  it('a store that refuses a right is unavailable, and says what to do', async () => {
    const role = `narrow_${process.pid}`
    await command(database.url, `create role ${role} login`)
    const narrow = openStore(database.url.replace('//postgres@', `//${role}@`))
    const read = () => narrow.selectFrom('person').select('name').execute()

    assert.match(await unavailableBecause(read()), /for table person: run `gatehouse prepare` as the owner/)
    await command(database.url, `grant select on person to ${role}`)
    assert.deepEqual(await read(), [])
    await command(database.url, `drop owned by ${role}; drop role ${role}`)
  })

  it('statements whose preparation waits too long for a table are unavailable, and so are those behind them', async () => {
    const fresh = openStore(`${database.url}?lock_timeout=200`, { connections: 1 })
    const insert = (id: number) => fresh.insertInto('person').values({ id, name: `person ${id}` })
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('begin; lock table person in access exclusive mode')

    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((id) => fresh.batch([insert(id)])))
    await holder.end()

    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.name),
      Array(4).fill('StoreUnavailable'),
    )
    await fresh.batch([insert(5)])
  })

  it('connections that the server ends are replaced', async () => {
    await Promise.all(Array.from({ length: 50 }, () => names()))
    const [, name] = new URL(database.url).pathname.split('/')

    await command(server, `select pg_terminate_backend(pid, 1000) from pg_stat_activity where datname = '${name}'`)
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
    assert.deepEqual([await number(0), isPrepared(0, await held())], [[{ n: 0 }], true])
  })

  it('a batch runs once, even if a statement new to the connection displaces another one of the batch', async () => {
    const number = (n: number) => store.selectNoFrom(sql<number>`${sql.lit(n)}`.as('n'))
    const single = openStore(database.url, { connections: 1 })
    await command(database.url, 'create sequence run')
    for (let n = 0; n < 1_000; n++) await single.executeQuery(number(n).compile())

    const counted = store.selectNoFrom(sql<number>`nextval('run')`.as('n'))
    for (let n = 0; n < 20; n++) await single.batch([counted, number(1_000 + n), number(10 + n)])

    assert.equal((await single.batch([counted])).of(counted)[0]?.n, 21)
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

it('shards that are schemas of one database are chosen by the options of the address', async () => {
  await command(database.url, 'create schema "apac-1"')
  const url = schemaUrl(database.url, 'apac-1')
  const shard = openStore(url, { name: 'apac-1' })
  await sql`create table person (id bigint primary key, name text)`.execute(shard)

  await shard.insertInto('person').values({ id: 1, name: 'ann' }).execute()

  assert.deepEqual([await names(), (await shard.selectFrom('person').selectAll().execute()).length], [[], 1])
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
    const bookmark = await visit(FIRST_PRIMARY, () => store.primary.selectFrom('person').selectAll().execute())

    assert.equal(bookmark, FIRST_PRIMARY)
  })

  it('does not move if what was written is only ever read on the primary', async () => {
    const bookmark = await visit(FIRST_PRIMARY, () => outsideBookmark(() => store.batch([insertPerson(1, 'ann')])))

    assert.deepEqual([bookmark, await names()], [FIRST_PRIMARY, [{ name: 'ann' }]])
  })

  it('that makes no sense is answered with the primary’s own position', async () => {
    for (const strange of ['', 'meta=9.9', 'meta=1-FFFFFFFF/FFFFFFFF', 'meta=7-0/1', '%', 'meta=1-0/1~']) {
      const bookmark = await visit(strange, names)
      const own = await visit(FIRST_PRIMARY, names)
      assert.ok(bookmark.length <= own.length && bookmark.startsWith('meta=1-0/'), strange)
    }
  })
})
