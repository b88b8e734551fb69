import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, describe, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { metaMigrations } from '../../src/database/migrations/meta.ts'
import type { Migration } from '../../src/database/migrations/migrate.ts'
import { shardMigrations } from '../../src/database/migrations/shard.ts'
import type { Store } from '../../src/database/store.ts'
import { closeStores, openStores, type Stores } from '../../src/database/stores.ts'
import { freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { migratedTemplate } from '../postgres/template.ts'
import { Installation } from '../processes/installation.ts'
import { makePasswordsCheap } from '../service/fakes/cheap-passwords.ts'
import { fillShard } from '../service/stores/many-rows.ts'
import { tablesAfter } from '../service/stores/tables.ts'
import { Visitor } from '../service/wire/visitor.ts'

const SHARD = 'apac-1'
const ROWS = 20_000
const KILLS = 3
/** However late a busy machine kills, so many are left. */
const BEHIND_FENCE = 2_000

const server = await testServer()
afterAll(() => server.stop())

async function onPostgres() {
  const database = await freshDatabase(server.url, await migratedTemplate(server.url, [SHARD]))
  const shards = `${SHARD}:apac=${schemaUrl(database.url, SHARD)}`
  return { env: { DATABASE_URL: database.url, SHARDS: shards }, drop: () => database.drop() }
}

const HOUSES = [
  {
    name: 'SQLite',
    open: async () => ({ env: {}, drop: async () => undefined }),
    fenceOff: fenceOffEmbedded,
  },
  { name: 'PostgreSQL', open: onPostgres, fenceOff: fenceOffOnPostgres },
] as const

describe('a process that is killed in the middle of an erasure', () => {
  for (const { name, open, fenceOff } of HOUSES) {
    it(`${name}: the next one continues by itself, until no store has the user`, async () => {
      await using program = new Installation()
      const { env, drop } = await open()
      const all = { DATA_DIR: program.dataDir, ...env }
      await makePasswordsCheap(all)
      let life = await program.serve(env)
      const ann = await Visitor.signedUp(life.url, 'ann@example.com')
      const ben = await Visitor.signedUp(life.url, 'ben@example.com')
      await ben.post('/api/submit_feedback', { type: 'idea', content: 'Stays' })
      const stores = await openStores(readConfig(all))
      const shard = stores.shards.get(SHARD)
      assert.ok(shard)
      await fillShard(shard, ann.id, ROWS)
      const fence = await fenceOff(shard, ann.id)

      // It begins with the response, so watching starts before.
      const asked = ann.post('/api/auth/delete-user', { password: 'a long walk in the rain' })
      asked.catch(() => undefined)
      const lefts = [ROWS]
      while (lefts.length <= KILLS) {
        await fewerThan(shard, ann.id, Math.max(lefts.at(-1) ?? 0, BEHIND_FENCE + 1))
        life.child.kill('SIGKILL')
        await life.output
        lefts.push(await feedbacksOf(shard, ann.id))
        assert.ok((lefts.at(-1) ?? 0) > 0, `it was done before the kill: ${lefts}`)
        if (lefts.length > KILLS) await fence.remove()
        life = await program.serve(env)
      }
      await erased(stores, ann.id)
      life.child.kill('SIGTERM')
      const { code } = await life.output

      assert.equal(code, 0)
      assert.deepEqual((await tablesNaming(stores, ann.id)).toSorted(), MEMORIALS.toSorted())
      assert.deepEqual(await tablesNaming(stores, 'ann@example.com'), [])
      const counts = await shard.selectFrom('feedback_counts').selectAll().where('kind', '=', 'all').execute()
      assert.equal(
        counts.reduce((sum, { feedbacks }) => sum + feedbacks, 0),
        1,
      )
      await closeStores(stores)
      await drop()
    })
  }
})

/** What outlives a user by intention, with nothing but an opaque id. */
const MEMORIALS = ['meta.erasure', 'meta.event', `${SHARD}.residents`]

type ShardStore = NonNullable<ReturnType<Stores['shards']['get']>>

/** No batch that holds one of the last feedbacks comes through, as if the erasure were slow. */
async function fenceOffEmbedded(shard: ShardStore, userId: string) {
  await sql
    .raw(`create trigger fence ${onLast(userId)} begin select raise(abort, 'fenced off'); end`)
    .execute(shard)
  return { remove: () => sql`drop trigger fence`.execute(shard) }
}

async function fenceOffOnPostgres(shard: ShardStore, userId: string) {
  await sql`create function fence() returns trigger language plpgsql as
    $$ begin raise exception 'fenced off'; end $$`.execute(shard)
  await sql.raw(`create trigger fence ${onLast(userId)} execute function fence()`).execute(shard)
  return { remove: () => sql`drop function fence() cascade`.execute(shard) }
}

function onLast(userId: string): string {
  const id = `${userId}-${(ROWS - BEHIND_FENCE).toString(16).padStart(8, '0')}`
  return `before delete on feedbacks for each row when (old.id = '${id}')`
}

async function feedbacksOf(shard: ShardStore, userId: string): Promise<number> {
  const { count } = await shard
    .selectFrom('feedbacks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

async function fewerThan(shard: ShardStore, userId: string, count: number): Promise<void> {
  while ((await feedbacksOf(shard, userId)) >= count) await nextTurn()
}

async function erased({ meta }: Stores, userId: string): Promise<void> {
  const done = meta.selectFrom('erasure').select('id').where('user_id', '=', userId)
  while ((await done.where('done_at', 'is not', null).execute()).length === 0) await nextTurn()
}

/** Every table of every store with a row that holds these words. */
async function tablesNaming({ meta, shards }: Stores, words: string): Promise<readonly string[]> {
  const found = await Promise.all([
    tablesOfStore(meta, metaMigrations, words),
    ...[...shards.values()].map((shard) => tablesOfStore(shard, shardMigrations, words)),
  ])
  return found.flat().toSorted()
}

async function tablesOfStore<Tables>(
  store: Store<Tables>,
  migrations: readonly Migration[],
  words: string,
): Promise<readonly string[]> {
  const anyTable = store as unknown as Store<Record<string, object>>
  const tables = await tablesAfter(migrations)
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await anyTable.selectFrom(name).selectAll().execute()
      return JSON.stringify(rows).includes(words) ? [`${store.name}.${name}`] : []
    }),
  )
  return found.flat()
}
