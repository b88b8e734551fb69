import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { describe, it } from 'vitest'
import { inRequest } from '../current-request.ts'
import { ReadPosition } from '../read-position.ts'
import { ConstraintViolation, Store, StoreUnavailable } from '../store.ts'
import { SqliteEngine } from './engine.ts'

interface Tables {
  item: { id: string; amount: number }
}

async function openItems(file = ':memory:'): Promise<Store<Tables>> {
  const store = new Store<Tables>(new SqliteEngine('items', file))
  await store.schema
    .createTable('item')
    .ifNotExists()
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .execute()
  return store
}

const idsOf = async (store: Store<Tables>) =>
  (await store.selectFrom('item').select('id').orderBy('id').execute()).map(({ id }) => id)

describe('a batch', () => {
  it('is all or nothing', async () => {
    const store = await openItems()
    const insert = (id: string) => store.insertInto('item').values({ id, amount: 1 })

    await assert.rejects(store.batch([insert('a'), insert('b'), insert('a')]), ConstraintViolation)

    assert.deepEqual(await idsOf(store), [])
  })

  it('returns the rows of each statement', async () => {
    const store = await openItems()

    const insertion = store.insertInto('item').values({ id: 'a', amount: 2 }).returning('id')
    const all = store.selectFrom('item').selectAll()
    const rows = await store.batch([insertion, store.updateTable('item').set({ amount: 3 }), all])

    assert.equal(rows.of(insertion)[0]?.id, 'a')
    assert.equal(rows.of(all)[0]?.amount, 3)
  })
})

describe('writes of one turn', () => {
  it('share a commit, and one that fails does not fail the others', async () => {
    const store = await openItems()
    const insert = (id: string) => store.insertInto('item').values({ id, amount: 1 }).execute()

    const outcomes = await Promise.allSettled([insert('a'), insert('b'), insert('a'), insert('c')])

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(await idsOf(store), ['a', 'b', 'c'])
  })

  it('share it with those of the next turn', async () => {
    const insert = await insertsOfOneEngine()

    const first = [insert('a'), insert('b')]
    await nextTurn()
    const positions = await Promise.all([...first, insert('c')])

    assert.equal(new Set(positions).size, 1)
  })

  it('are committed without waiting if there is only one', async () => {
    const insert = await insertsOfOneEngine()

    const first = insert('a')
    await nextTurn()
    const second = insert('b')

    assert.notEqual(await first, await second)
  })

  it('wait for four turns at most', async () => {
    const insert = await insertsOfOneEngine()

    const positions = [insert('a'), insert('b')]
    for (let turn = 0; turn < 4; turn++) {
      await nextTurn()
      positions.push(insert(`turn ${turn}`))
    }
    const [first, , ...later] = await Promise.all(positions)

    assert.deepEqual(
      later.map((position) => position === first),
      [true, true, true, false],
    )
  })

  /** Each insertion returns the position of its commit. */
  async function insertsOfOneEngine() {
    const engine = new SqliteEngine('items', ':memory:')
    await engine.batch([CompiledQuery.raw('create table item (id text)')])
    return async (id: string) => {
      await engine.batch([CompiledQuery.raw('insert into item values (?)', [id])])
      return engine.position()
    }
  }
})

describe('what cannot be stored', () => {
  it('is refused instead of becoming NULL', async () => {
    const store = await openItems()
    const date = new Date() as unknown as string

    await assert.rejects(store.insertInto('item').values({ id: date, amount: 1 }).execute(), TypeError)
  })
})

describe('interactive transactions', () => {
  it('are not offered', async () => {
    const store = await openItems()

    await assert.rejects(
      store.transaction().execute((transaction) => transaction.selectFrom('item').selectAll().execute()),
      /one statement or one batch/,
    )
  })
})

describe('the commit counter', () => {
  it('grows with each write and survives a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sqlite-'))
    const file = join(folder, 'items.sqlite')

    const first = await openItems(file)
    const before = await positionAfter(() =>
      first.insertInto('item').values({ id: 'a', amount: 1 }).execute(),
    )
    const after = await positionAfter(() => first.insertInto('item').values({ id: 'b', amount: 1 }).execute())
    await first.close()
    const second = await openItems(file)
    const restarted = await positionAfter(() => second.selectFrom('item').selectAll().execute())
    await second.close()
    rmSync(folder, { recursive: true })

    assert.ok(before < after, `${before} < ${after}`)
    assert.ok(after < restarted, `${after} < ${restarted}`)
  })

  /** The bookmark's two numbers, as one that can be compared. */
  async function positionAfter(work: () => Promise<unknown>): Promise<number> {
    const readPosition = new ReadPosition('first-primary')
    readPosition.ownShard('items')
    await inRequest({ id: 'test', readPosition }, work)
    const [, epoch, commits] = /items=(\d+)\.(\d+)/.exec(await readPosition.next()) ?? []
    return Number(epoch) * 1e6 + Number(commits)
  }
})

describe('a file that cannot be opened', () => {
  it('is a store that is not available', () => {
    assert.throws(() => new SqliteEngine('items', '/proc/nowhere/items.sqlite'), StoreUnavailable)
  })
})

describe('reads', () => {
  it('on the separate handle see what has been committed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sqlite-'))
    const store = await openItems(join(folder, 'items.sqlite'))

    await store.insertInto('item').values({ id: 'a', amount: 1 }).execute()
    const { rows } = await sql<{ n: number }>`select count(*) as n from item`.execute(store)
    await store.close()
    rmSync(folder, { recursive: true })

    assert.equal(rows[0]?.n, 1)
  })
})

describe('a snapshot', () => {
  it('returns the rows of each read, and refuses to write', async () => {
    const store = await openItems()
    await store.insertInto('item').values({ id: 'a', amount: 2 }).execute()

    const [ids, amounts] = await store.snapshot([
      store.selectFrom('item').select('id'),
      store.selectFrom('item').select('amount'),
    ])

    assert.deepEqual([ids[0]?.id, amounts[0]?.amount], ['a', 2])
    await assert.rejects(store.snapshot([store.deleteFrom('item')]), TypeError)
  })
})

describe('what the database refuses', () => {
  it('is a violation with its kind, table and column', async () => {
    const store = await openItems()
    const insert = (id: string) => store.insertInto('item').values({ id, amount: 1 }).execute()
    await insert('a')

    await assert.rejects(insert('a'), { name: 'ConstraintViolation', kind: 'unique', table: 'item' })
    const nothing = sql`insert into item values ('b', null)`.execute(store)
    await assert.rejects(nothing, { kind: 'not-null', table: 'item', column: 'amount' })
  })
})

describe('a file that another process writes to', () => {
  const opened = async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'gatehouse-sqlite-')), 'items.sqlite')
    const store = await openItems(file)
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    return {
      store,
      other,
      [Symbol.asyncDispose]: async () => {
        await store.close()
        other.close()
        rmSync(dirname(file), { recursive: true })
      },
    }
  }

  it('is waited for, and the write is done when the lock is free', async () => {
    await using files = await opened()
    const { store, other } = files

    const writing = store.insertInto('item').values({ id: 'a', amount: 1 }).execute()
    for (let turns = 0; turns < 50; turns++) await nextTurn()
    const seenMeanwhile = await idsOf(store)
    other.exec('rollback')
    await writing

    assert.deepEqual([seenMeanwhile, await idsOf(store)], [[], ['a']])
  })

  it('is given up on without blocking the event loop, and takes writes again when it is free', async () => {
    await using files = await opened()
    const { store, other } = files
    const insert = (id: string) => store.insertInto('item').values({ id, amount: 1 }).execute()

    let isGivenUp = false
    const refused = assert.rejects(insert('a'), StoreUnavailable).finally(() => {
      isGivenUp = true
    })
    let turns = 0
    for (; !isGivenUp; turns++) await nextTurn()
    await refused
    other.exec('rollback')
    await insert('b')

    // Waiting inside the database would allow only one or two.
    assert.ok(turns > 20, `${turns} turns`)
    assert.deepEqual(await idsOf(store), ['b'])
  })
})
