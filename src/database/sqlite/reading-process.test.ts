import assert from 'node:assert/strict'
import { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mock } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { describe, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { MINUTE_MILLISECONDS } from '../../rules/time.ts'
import { inRequest } from '../current-request.ts'
import { Store, StoreUnavailable, TookTooLong } from '../store.ts'
import { SqliteEngine } from './engine.ts'
import { ReadingProcess } from './reading-process.ts'

/** What Node does not publish of a child process. */
interface Startable {
  spawn(this: ChildProcess): void
}

interface Tables {
  item: { id: string }
}

const it = test.extend<{ readonly store: Store<Tables> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  store: async ({}, use) => {
    const store = await openItems()
    await use(store)
    await store.close()
  },
})

async function openItems(): Promise<Store<Tables>> {
  const store = new Store<Tables>(new SqliteEngine('items', join(temporaryFolder(), 'items.sqlite')))
  await sql`create table item (id text primary key)`.execute(store)
  return store
}

/** Node cannot interrupt it. */
const endless = (store: Store<Tables>) =>
  store.selectNoFrom(
    sql<number>`(with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n)`.as('numbers'),
  )

const insert = (store: Store<Tables>, id: string) => store.insertInto('item').values({ id }).execute()
const count = (store: Store<Tables>) => store.selectFrom('item').select((eb) => eb.fn.countAll<number>().as('items'))
const long = (store: Store<Tables>) => store.snapshot([count(store)], 'routed', 'long')

describe('a long read', () => {
  it('does not delay a short one that came later', async ({ store }) => {
    const done: string[] = []
    const numbers = sql<{
      i: number
    }>`(with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select i from n)`
    const counting = store.selectFrom(numbers.as('n')).select(sql<number>`count(*)`.as('numbers'))

    const searching = store.snapshot([counting], 'routed', 'long').then(([[row]]) => {
      done.push('a long read')
      return row
    })
    await count(store).execute()
    done.push('a read')

    assert.deepEqual([await searching, done], [{ numbers: 300_000 }, ['a read', 'a long read']])
  })

  it('sees every write that was acknowledged before it began', async ({ store }) => {
    for (let items = 1; items <= 50; items++) {
      await insert(store, `item ${items}`)
      const [[row]] = await long(store)
      assert.equal(row?.items, items)
    }
  })

  it('reads all its statements at one moment', async ({ store }) => {
    let isWriting = true
    const writing = (async () => {
      for (let i = 0; isWriting; i++) await insert(store, `item ${i}`)
    })()

    for (let i = 0; i < 50; i++) {
      const [[before], [after]] = await store.snapshot([count(store), count(store)], 'routed', 'long')
      assert.equal(after?.items, before?.items)
    }
    isWriting = false
    await writing
  })

  it('gets its own rows among many that run at once', async ({ store }) => {
    const reads = Array.from({ length: 40 }, (_, i) =>
      store.snapshot([store.selectNoFrom(sql<number>`${i}`.as('number'))], 'routed', 'long'),
    )

    const rows = await Promise.all(reads)

    assert.deepEqual(
      rows.map(([[row]]) => row?.number),
      reads.map((_, i) => i),
    )
  })

  it('is refused like a short one, and the next one works', async ({ store }) => {
    const wrong = store.selectFrom('item').select(sql.ref('nothing').as('nothing'))

    await assert.rejects(store.snapshot([wrong], 'routed', 'long'), /no such column/)

    const [[row]] = await long(store)
    assert.equal(row?.items, 0)
  })

  it('fails if the file is missing', async () => {
    const reading = new ReadingProcess('items', join(temporaryFolder(), 'missing.sqlite'))

    await assert.rejects(reading.read([]), (error) => error instanceof StoreUnavailable && error.cause instanceof Error)

    await reading.close()
  })

  it('is refused if the store is closed meanwhile', async () => {
    const store = await openItems()
    const reading = long(store)
    const refused = assert.rejects(reading, { name: 'StoreUnavailable', cause: new Error('the store was closed') })

    await store.close()

    await refused
  })

  it('checklist 110: is ended with its request, and the next one works', async ({ store }) => {
    const leaving = new AbortController()
    const left = inRequest({ id: 'test', sender: { leaving: leaving.signal } }, () =>
      store.snapshot([endless(store)], 'routed', 'long'),
    )
    const next = long(store)

    leaving.abort()

    await assert.rejects(left, TookTooLong)
    assert.deepEqual(await next, [[{ items: 0 }]])
  })

  it('gets its own rows when the read before it was left as its answer came', async () => {
    const file = join(temporaryFolder(), 'items.sqlite')
    new DatabaseSync(file).close()
    const reading = new ReadingProcess('items', file)
    const leaving = new AbortController()
    const { emit } = ChildProcess.prototype
    const coming = vi.spyOn(ChildProcess.prototype, 'emit').mockImplementation(function (this: ChildProcess, ...args) {
      if (String(args[0]) === 'message') leaving.abort()
      return emit.apply(this, args)
    })

    const left = reading.read([CompiledQuery.raw("select 'theirs' as whose")], leaving.signal)
    const next = reading.read([CompiledQuery.raw("select 'own' as whose")])

    await assert.rejects(left, TookTooLong)
    assert.deepEqual(await next, [{ rows: [{ whose: 'own' }] }])
    coming.mockRestore()
    await reading.close()
  })

  it.for([
    ['says so afterwards', undefined],
    ['says so at once', new Error('spawn ENOMEM')],
  ] as const)(
    'is refused if no process can be started, which the system %s, and the next one works',
    async ([, thrown]) => {
      const file = join(temporaryFolder(), 'items.sqlite')
      new DatabaseSync(file).close()
      const reading = new ReadingProcess('items', file)
      const cause = thrown ?? new Error('spawn EMFILE')
      const starting = vi.spyOn(ChildProcess.prototype as unknown as Startable, 'spawn')
      starting.mockImplementation(function (this: ChildProcess) {
        if (thrown) throw thrown
        process.nextTick(() => this.emit('error', cause))
      })

      const refused = ['first', 'second'].map(() => reading.read([CompiledQuery.raw('select 1 as one')]))
      for (const one of refused) await assert.rejects(one, { name: 'StoreUnavailable', cause })
      starting.mockRestore()

      assert.deepEqual(await reading.read([CompiledQuery.raw('select 1 as one')]), [{ rows: [{ one: 1 }] }])
      await reading.close()
    },
  )

  it('goes on when the process before it ended while it was idle', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const file = join(temporaryFolder(), 'items.sqlite')
    new DatabaseSync(file).close()
    const reading = new ReadingProcess('items', file)
    const beginning = vi.spyOn(ChildProcess.prototype, 'ref')
    const read = () => reading.read([CompiledQuery.raw('select 1 as one')])
    await read()
    const [first] = beginning.mock.contexts
    assert.ok(first instanceof ChildProcess)
    const ended = once(first, 'exit')
    first.kill('SIGKILL')
    await ended
    mock.timers.tick(MINUTE_MILLISECONDS - 1)

    const next = read()
    mock.timers.tick(1)

    assert.deepEqual(await next, [{ rows: [{ one: 1 }] }])
    beginning.mockRestore()
    await reading.close()
    mock.timers.reset()
  })

  it('is ended at its limit, and those that wait for it are not', async ({ store }) => {
    const file = join(temporaryFolder(), 'items.sqlite')
    new DatabaseSync(file).close()
    const reading = new ReadingProcess('items', file)

    const late = reading.read([endless(store).compile()], undefined, 1)
    const next = reading.read([CompiledQuery.raw('select 1 as one')])

    await assert.rejects(late, TookTooLong)
    assert.deepEqual(await next, [{ rows: [{ one: 1 }] }])
    await reading.close()
  })

  it('does not keep a store from closing', async () => {
    const store = await openItems()
    const refused = assert.rejects(store.snapshot([endless(store)], 'routed', 'long'), StoreUnavailable)

    await store.close()

    await refused
  })
})
