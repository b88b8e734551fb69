import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { untilSo } from '../../test/faults/support/replicated.ts'
import { command, freshDatabase, testServer, withClient } from '../../test/postgres/databases.ts'
import { inRequest } from './current-request.ts'
import { PostgresEngine } from './postgres/engine.ts'
import { ReadPosition } from './read-position.ts'
import { lockRows } from './sql/row-lock.ts'
import { SqliteEngine } from './sqlite/engine.ts'
import { ConstraintViolation, type Engine, Store, StoreUnavailable } from './store.ts'

interface Tables {
  person: { id: string; points: number }
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-decisions-'))
let database: Awaited<ReturnType<typeof freshDatabase>>
let url: string

beforeAll(async () => {
  database = await freshDatabase(await testServer())
  url = database.url
  await command(url, 'create table person (id text primary key, points bigint not null)')
})

afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

let files = 0
const ENGINES: Readonly<Record<string, () => Promise<Engine>>> = {
  SQLite: async () => {
    const engine = new SqliteEngine('meta', join(folder, `${++files}.sqlite`))
    await sql`create table person (id text primary key, points bigint not null) strict`
      .execute(new Store<Tables>(engine))
      .catch(() =>
        sql`create table person (id text primary key, points integer not null)`.execute(new Store<Tables>(engine)),
      )
    return engine
  },
  PostgreSQL: async () => {
    await command(url, 'truncate person')
    return new PostgresEngine('meta', { url, connections: 3 })
  },
}

for (const [name, open] of Object.entries(ENGINES)) {
  describe(`a decision on ${name}`, () => {
    let store: Store<Tables>
    beforeEach(async () => {
      store = new Store<Tables>(await open())
      await insert('ann', 1).execute()
    })

    const insert = (id: string, points: number) => store.insertInto('person').values({ id, points })
    const set = (id: string, points: number) => store.updateTable('person').set({ points }).where('id', '=', id)
    const lock = (id: string) => store.selectFrom('person').selectAll().where('id', '=', id).$call(lockRows(store))
    const pointsOf = async (id: string) =>
      (await store.selectFrom('person').select('points').where('id', '=', id).executeTakeFirst())?.points
    /** Reads, decides here, and writes. */
    const addOne = (id: string) =>
      store.decide([lock(id)], async (decision, [person]) => {
        if (!person) throw new Error('nobody')
        decision.write(set(id, person.points + 1))
        return person.points + 1
      })

    it('writes what it decided from what it read', async () => {
      assert.equal(await addOne('ann'), 2)
      assert.equal(await pointsOf('ann'), 2)
      await store.close()
    })

    it('that throws leaves nothing behind, not even what it had sent', async () => {
      const act = store.decide([lock('ann')], async (decision) => {
        decision.write(insert('ben', 1))
        await decision.read([set('ann', 7)])
        throw new RangeError('refused')
      })

      await assert.rejects(act, RangeError)
      assert.deepEqual([await pointsOf('ann'), await pointsOf('ben')], [1, undefined])
      assert.equal(await addOne('ann'), 2)
      await store.close()
    })

    it('that throws a store error does not affect the others of its turn', async () => {
      const refused = store.decide([lock('ann')], () => Promise.reject(new StoreUnavailable('meta')))

      const [, added] = await Promise.all([assert.rejects(refused, StoreUnavailable), addOne('ann')])

      assert.equal(added, 2)
      await store.close()
    })

    it('sees its own writes', async () => {
      const seen = await store.decide([lock('ann')], async (decision) => {
        decision.write(set('ann', 5))
        return (await decision.first(store.selectFrom('person').selectAll()))?.points
      })

      assert.equal(seen, 5)
      await store.close()
    })

    it('waits for another one on the same row, and sees its result', async () => {
      const results = await Promise.all(Array.from({ length: 40 }, () => addOne('ann')))

      assert.deepEqual(
        results.toSorted((a, b) => a - b),
        Array.from({ length: 40 }, (_, i) => i + 2),
      )
      assert.equal(await pointsOf('ann'), 41)
      await store.close()
    })

    it('takes turns with batches that lock the same rows', async () => {
      await insert('ben', 0).execute()
      const both = store.selectFrom('person').selectAll().orderBy('id').$call(lockRows(store))
      const batch = (id: string) =>
        store.batch([
          both,
          store
            .updateTable('person')
            .set((eb) => ({ points: eb('points', '+', 1) }))
            .where('id', '=', id),
        ])
      const decision = (id: string) =>
        store.decide([both], async (transaction, people) => {
          const points = people.find((person) => person.id === id)?.points ?? 0
          transaction.write(set(id, points + 1))
        })

      await Promise.all(
        Array.from({ length: 30 }, (_, i) => [batch(i % 2 ? 'ann' : 'ben'), decision(i % 2 ? 'ben' : 'ann')]).flat(),
      )

      assert.deepEqual([await pointsOf('ann'), await pointsOf('ben')], [31, 30])
      await store.close()
    })

    it('never commits after a failed statement, even if the work goes on', async () => {
      const act = store.decide([lock('ann')], async (decision) => {
        decision.write(set('ann', 9))
        await decision.read([insert('ann', 2)]).catch(() => undefined)
        return 'went on'
      })

      await assert.rejects(act, (error) => error instanceof ConstraintViolation && error.kind === 'unique')
      assert.equal(await pointsOf('ann'), 1)
      await store.close()
    })

    it('never commits if one of its last writes fails', async () => {
      const act = store.decide([lock('ann')], async (decision) => {
        decision.write(set('ann', 9), insert('ann', 2))
      })

      await assert.rejects(act, ConstraintViolation)
      assert.equal(await pointsOf('ann'), 1)
      await store.close()
    })

    for (const [what, wait] of Object.entries({
      'a timer': () => pause(20),
      'a file': () => readFile(import.meta.filename),
      'the next turn': () => nextTurn(),
      'something that never comes': () => new Promise(() => undefined),
    })) {
      it(`that waits for ${what} fails at once, and releases its locks and its connection`, async () => {
        let late: unknown
        const act = store.decide([lock('ann')], async (decision) => {
          decision.write(set('ann', 9))
          await wait()
          late = await decision.read([set('ann', 10)]).catch((error) => error)
        })

        const started = performance.now()
        await assert.rejects(act, /waited for something other/)
        assert.ok(performance.now() - started < 1_000)
        assert.equal(await addOne('ann'), 2)
        while (late === undefined && what !== 'something that never comes') await pause(5)
        if (what !== 'something that never comes') assert.match(String(late), /is over/)
        assert.equal(await pointsOf('ann'), 2)
        await store.close()
      })
    }

    it('refuses the store itself, which could wait for the decision forever', async () => {
      const ways: (() => Promise<unknown>)[] = [
        () => pointsOf('ann'),
        () => set('ann', 3).execute(),
        () => store.batch([set('ann', 3)]),
        () => store.snapshot([store.selectFrom('person').selectAll()]),
        () => addOne('ann'),
      ]
      for (const outside of ways)
        await assert.rejects(
          store.decide([lock('ann')], () => outside()),
          /use the decision/,
        )
      assert.equal(await addOne('ann'), 2)
      await store.close()
    })

    // On SQLite they have answered by then.
    if (name !== 'SQLite')
      it('refuses to end before its statements', async () => {
        const act = store.decide([lock('ann')], async (decision) => {
          void decision.read([set('ann', 9)]).catch(() => undefined)
        })

        await assert.rejects(act, /ended before/)
        assert.equal(await addOne('ann'), 2)
        await store.close()
      })

    it('refuses to read in a loop', async () => {
      const act = store.decide([lock('ann')], async (decision) => {
        decision.write(set('ann', 9))
        for (let i = 0; i < 10; i++) await decision.first(lock('ann'))
      })

      await assert.rejects(act, /not in a loop/)
      assert.equal(await pointsOf('ann'), 1)
      await store.close()
    })

    it('moves the bookmark of its request past its commit', async () => {
      const position = async (work: () => Promise<unknown>) => {
        const readPosition = new ReadPosition('first-primary')
        await inRequest({ id: 'r', readPosition }, work)
        return readPosition.next()
      }
      const before = await position(() => pointsOf('ann'))
      const after = await position(() => addOne('ann'))

      assert.match(after, /^meta=/)
      assert.notEqual(before, after)
      await store.close()
    })

    it('runs in the context of its own request', async () => {
      const { currentRequestId } = await import('./current-request.ts')
      const ids = await Promise.all(
        ['a', 'b', 'c'].map((id) =>
          inRequest({ id }, () => store.decide([lock('ann')], async () => currentRequestId())),
        ),
      )

      assert.deepEqual(ids, ['a', 'b', 'c'])
      await store.close()
    })

    it('notifies listeners of inserts only once they are committed', async () => {
      let heard = 0
      store.onInsert('person', () => heard++)
      await store.decide([lock('ann')], async (decision) => decision.write(insert('cyd', 1)))
      const failing = store.decide([lock('ann')], async (decision) => {
        decision.write(insert('dan', 1))
        throw new Error('no')
      })
      await assert.rejects(failing)

      assert.equal(heard, 1)
      await store.close()
    })
  })
}

describe('decisions on SQLite', () => {
  it('share the commit of their turn, and one that fails half done undoes none of the others', async () => {
    const engine = (await ENGINES.SQLite?.()) as SqliteEngine
    const store = new Store<Tables>(engine)
    const before = await engine.position()
    const insert = (id: string) => store.insertInto('person').values({ id, points: 1 })
    const outcomes = await Promise.allSettled([
      store.decide([], async (decision) => decision.write(insert('a'))),
      store.decide([], async (decision) => {
        await decision.read([insert('b')])
        throw new Error('refused')
      }),
      insert('c').execute(),
      store.decide([], async (decision) => decision.read([insert('d')])),
    ])
    const commits = (position: string) => Number(position.split('.')[1])

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.equal(commits(await engine.position()) - commits(before), 1)
    const rows = await store.selectFrom('person').select('id').orderBy('id').execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['a', 'c', 'd'],
    )
    await store.close()
  })

  it('end before the event loop continues, even one that waits', async () => {
    const engine = (await ENGINES.SQLite?.()) as SqliteEngine
    const store = new Store<Tables>(engine)
    const seen: string[] = []
    const deciding = store.decide([], async () => {
      setImmediate(() => seen.push('turn'))
      seen.push('work')
      await nextTurn()
    })
    await assert.rejects(
      deciding.finally(() => seen.push('over')),
      /waited/,
    )
    await nextTurn()

    assert.deepEqual(seen, ['work', 'over', 'turn'])
    await store.close()
  })

  it('let a read right after them see what they wrote, although another read came in between', async () => {
    const engine = (await ENGINES.SQLite?.()) as SqliteEngine
    const store = new Store<Tables>(engine)
    const count = async () => (await store.selectFrom('person').selectAll().execute()).length
    const people = store.selectFrom('person').selectAll().compile()
    let between: Promise<{ readonly rows: readonly unknown[] }> | undefined
    const outside = AsyncLocalStorage.bind(() => {
      between = engine.run(people)
    })
    await store.decide([], async (decision) => {
      decision.write(store.insertInto('person').values({ id: 'a', points: 1 }))
      outside()
    })

    assert.equal(await count(), 1)
    assert.deepEqual((await between)?.rows, [])
    await store.close()
  })
})

describe('decisions on PostgreSQL', () => {
  it('need two round trips, and no connection afterwards', async () => {
    await command(url, 'truncate person')
    const store = new Store<Tables>(new PostgresEngine('meta', { url, connections: 2 }))
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        store
          .decide([], async (decision) => {
            decision.write(store.insertInto('person').values({ id: String(i), points: i }))
            if (i % 3 === 0) throw new Error('refused')
            if (i % 3 === 1) await pause(1)
          })
          .catch(() => undefined),
      ),
    )
    // A failed decision ends before its rollback does.
    await withClient(url, (client) =>
      untilSo('no connection is in a transaction', async () => {
        const { rowCount } = await client.query(
          `select from pg_stat_activity where application_name = 'gatehouse'
           and datname = current_database() and state <> 'idle'`,
        )
        return rowCount === 0
      }),
    )
    assert.equal((await store.selectFrom('person').selectAll().execute()).length, 16)
    await store.close()
  })

  it('are repeated once if the server has dropped their statements', async () => {
    await command(url, 'truncate person')
    const store = new Store<Tables>(new PostgresEngine('meta', { url, connections: 1 }))
    const select = () => store.selectFrom('person').selectAll()
    await store.decide([select()], async () => undefined)
    await command(url, 'alter table person add column extra text')
    let runs = 0
    await store.decide([select()], async (decision) => {
      runs++
      decision.write(store.insertInto('person').values({ id: 'a', points: 1 }))
    })
    await command(url, 'alter table person drop column extra')

    assert.equal(runs, 1)
    assert.equal((await select().execute()).length, 1)
    await store.close()
  })

  it('end with their connection, and the next one gets another', async () => {
    await command(url, 'truncate person')
    const store = new Store<Tables>(new PostgresEngine('meta', { url, connections: 1 }))
    const end = sql`select pg_terminate_backend(pg_backend_pid())`
    const act = store.decide([], async (decision) => decision.read([{ compile: () => end.compile(store) }]))

    await assert.rejects(act, { name: 'StoreUnavailable' })
    await store.decide([], async (decision) =>
      decision.write(store.insertInto('person').values({ id: 'a', points: 1 })),
    )
    assert.equal((await store.selectFrom('person').selectAll().execute()).length, 1)
    await store.close()
  })
})
