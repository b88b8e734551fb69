import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { describe, test } from 'vitest'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { inRequest } from '../current-request.ts'
import { ReadPosition } from '../read-position.ts'
import { Store, StoreUnavailable } from '../store.ts'
import { SqliteEngine } from './engine.ts'

interface Tables {
  item: { id: string; amount: number }
}

const it = test.extend<{ readonly store: Store<Tables>; readonly file: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  store: async ({}, use) => use(await openItems()),
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  file: async ({}, use) => use(join(temporaryFolder(), 'items.sqlite')),
})

async function openItems(file = ':memory:'): Promise<Store<Tables>> {
  const store = new Store<Tables>(new SqliteEngine('items', file))
  const table = store.schema.createTable('item').ifNotExists()
  const withId = table.addColumn('id', 'text', (column) => column.primaryKey())
  await withId.addColumn('amount', 'bigint', (column) => column.notNull()).execute()
  return store
}

const insert = (store: Store<Tables>, id: string, amount = 1) => store.insertInto('item').values({ id, amount })
const idsOf = async (store: Store<Tables>) =>
  (await store.selectFrom('item').select('id').orderBy('id').execute()).map(({ id }) => id)

describe('writes of one turn', () => {
  it('share a commit, and one that fails does not fail the others', async ({ store }) => {
    const outcomes = await Promise.allSettled(['a', 'b', 'a', 'c'].map((id) => insert(store, id).execute()))

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

it('interactive transactions are not offered', async ({ store }) => {
  await assert.rejects(
    store.transaction().execute((transaction) => transaction.selectFrom('item').selectAll().execute()),
    /one statement or one batch/,
  )
})

describe('the commit counter', () => {
  it('grows with each write and survives a restart', async ({ file }) => {
    const first = await openItems(file)
    const before = await positionAfter(() => insert(first, 'a').execute())
    const after = await positionAfter(() => insert(first, 'b').execute())
    await first.close()
    const second = await openItems(file)
    const restarted = await positionAfter(() => second.selectFrom('item').selectAll().execute())
    await second.close()

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

it('a file that cannot be opened is a store that is not available', () => {
  assert.throws(() => new SqliteEngine('items', '/proc/nowhere/items.sqlite'), StoreUnavailable)
})

it('reads on the separate handle see what has been committed', async ({ file }) => {
  const store = await openItems(file)

  await insert(store, 'a').execute()
  const { rows } = await sql<{ n: number }>`select count(*) as n from item`.execute(store)
  await store.close()

  assert.equal(rows[0]?.n, 1)
})

describe('a file that another process writes to', () => {
  const opened = async (file: string) => {
    const store = await openItems(file)
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    return {
      store,
      other,
      [Symbol.asyncDispose]: async () => {
        await store.close()
        other.close()
      },
    }
  }

  it('is waited for, and the write is done when the lock is free', async ({ file }) => {
    await using files = await opened(file)
    const { store, other } = files

    const writing = insert(store, 'a').execute()
    for (let turns = 0; turns < 50; turns++) await nextTurn()
    const seenMeanwhile = await idsOf(store)
    other.exec('rollback')
    await writing

    assert.deepEqual([seenMeanwhile, await idsOf(store)], [[], ['a']])
  })

  it('is given up on without blocking the event loop, and used again later', async ({ file }) => {
    await using files = await opened(file)
    const { store, other } = files

    let isGivenUp = false
    const refused = assert.rejects(insert(store, 'a').execute(), StoreUnavailable).finally(() => {
      isGivenUp = true
    })
    let turns = 0
    for (; !isGivenUp; turns++) await nextTurn()
    await refused
    other.exec('rollback')
    await insert(store, 'b').execute()

    // Waiting inside the database would allow only one or two.
    assert.ok(turns > 20, `${turns} turns`)
    assert.deepEqual(await idsOf(store), ['b'])
  })
})
