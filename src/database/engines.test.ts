import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe } from 'vitest'
import { it as onServer } from '../../test/service/databases.ts'
import { PostgresEngine } from './postgres/engine.ts'
import { SqliteEngine } from './sqlite/engine.ts'
import { Store } from './store.ts'

interface Tables {
  person: { id: number; name: string }
  pet: { id: number; person_id: number }
}

interface Fixtures {
  readonly engine: 'SQLite' | 'PostgreSQL'
  readonly store: Store<Tables>
}

const it = onServer.extend<Fixtures>({
  engine: 'SQLite',
  store: async ({ engine, database }, use) => {
    const store = new Store<Tables>(
      engine === 'SQLite' ? new SqliteEngine('meta', ':memory:') : new PostgresEngine('meta', { url: database.url }),
    )
    await sql`create table person (id bigint primary key, name text not null unique)`.execute(store)
    await sql`create table pet (id bigint primary key, person_id bigint not null references person)`.execute(store)
    await use(store)
    await store.close()
  },
})

for (const engine of ['SQLite', 'PostgreSQL'] as const)
  describe(`a store on ${engine}`, () => {
    it.override('engine', engine)
    const insert = (store: Store<Tables>, id: number, name: string) => store.insertInto('person').values({ id, name })
    const names = async (store: Store<Tables>) =>
      (await store.selectFrom('person').select('name').orderBy('id').execute()).map(({ name }) => name)

    it('returns every number as a number, and truth as 0 or 1', async ({ store }) => {
      await insert(store, 1_700_000_000_000, 'ann').execute()

      const row = await store
        .selectFrom('person')
        .select(({ fn }) => ['id', fn.countAll().as('count'), fn.sum('id').as('sum')])
        .select(sql<unknown>`name = 'ann'`.as('is_ann'))
        .groupBy(['id', 'name'])
        .executeTakeFirst()

      assert.deepEqual({ ...row }, { id: 1_700_000_000_000, count: 1, sum: 1_700_000_000_000, is_ann: 1 })
    })

    it('refuses a value that is neither text nor a number, before anything is written', async ({ store }) => {
      for (const odd of [{ name: 'ann' }, new Date()]) {
        const query = sql`insert into person values (1, ${odd})`
        const batch = store.batch([insert(store, 2, 'ben'), { compile: () => query.compile(store) }])
        await assert.rejects(batch, TypeError)
      }
      assert.deepEqual(await names(store), [])
    })

    it('returns the number of rows that a write touched', async ({ store }) => {
      await insert(store, 1, 'ann').execute()

      const updated = await store.updateTable('person').set({ name: 'anna' }).executeTakeFirst()
      const missed = await store.deleteFrom('person').where('id', '=', 2).executeTakeFirst()

      assert.deepEqual([updated.numUpdatedRows, missed.numDeletedRows], [1n, 0n])
    })

    it('returns the rows of each statement of a batch, and of a snapshot, which cannot write', async ({ store }) => {
      const ann = insert(store, 1, 'ann').returning('name')
      const all = store.selectFrom('person').select('name').orderBy('id')

      const rows = await store.batch([ann, insert(store, 2, 'ben'), all])
      const [ids, named] = await store.snapshot([store.selectFrom('person').select('id').orderBy('id'), all])

      assert.deepEqual(rows.of(ann), [{ name: 'ann' }])
      assert.deepEqual(rows.of(all), [{ name: 'ann' }, { name: 'ben' }])
      assert.deepEqual([ids[1]?.id, named[1]?.name], [2, 'ben'])
      await assert.rejects(store.snapshot([insert(store, 3, 'cyd')]), TypeError)
      await assert.rejects(store.snapshot([store.deleteFrom('person')]), TypeError)
    })

    it('changes nothing if one statement of a batch fails, and says which kind of failure it is', async ({ store }) => {
      const batch = store.batch([insert(store, 1, 'ann'), insert(store, 1, 'ben'), insert(store, 3, 'cyd')])

      await assert.rejects(batch, { name: 'ConstraintViolation', kind: 'unique' })
      assert.deepEqual(await names(store), [])
    })

    it('names the kind, table and column of a violation', async ({ store }) => {
      await insert(store, 1, 'ann').execute()
      const taken = insert(store, 2, 'ann').execute()
      await assert.rejects(taken, { name: 'ConstraintViolation', kind: 'unique', table: 'person' })
      const orphan = store.insertInto('pet').values({ id: 1, person_id: 9 }).execute()
      await assert.rejects(orphan, { name: 'ConstraintViolation', kind: 'foreign-key' })
      const nameless = sql`insert into person values (3, null)`.execute(store)
      await assert.rejects(nameless, { kind: 'not-null', table: 'person', column: 'name' })
    })
  })
