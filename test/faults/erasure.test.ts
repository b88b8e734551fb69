import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Shard } from '../../src/database/store.ts'
import { ENGINES, it } from '../processes/it.ts'
import { fillShard } from '../service/stores/many-rows.ts'
import { tablesNaming } from '../service/stores/tables.ts'

const SHARD = 'apac-1'
const ROWS = 20_000
const KILLS = 3
/** Rows that are always left, however late a busy machine kills. */
const BEHIND_FENCE = 2_000
/** Rows that outlive a user by intention, with nothing but an opaque id. */
const MEMORIALS = ['meta.erasure', 'meta.event', `${SHARD}.residents`]

it.for(ENGINES)(
  'a process that is killed in the middle of an erasure: the next one continues by itself, until no store has the user, on %s',
  async (engine, { program, places }) => {
    const env = await places.on(engine)
    await program.prepare(env)
    let life = await program.serve(env)
    const ann = await life.signedUp('ann')
    const ben = await life.signedUp('ben')
    await ben.post('/api/submit_feedback', { type: 'idea', content: 'Stays' })
    await using stores = await program.openStores(env)
    const shard = stores.shards.get(SHARD) ?? assert.fail()
    await fillShard(shard, ann.id, ROWS)
    const fence = await FENCES[engine](shard, ann.id)

    // It begins with the response, so watching starts before.
    const asked = ann.post('/api/auth/delete-user', { password: ann.password })
    asked.catch(() => undefined)
    const lefts = [ROWS]
    while (lefts.length <= KILLS) {
      const fewer = Math.max(lefts.at(-1) ?? 0, BEHIND_FENCE + 1)
      while ((await feedbacksOf(shard, ann.id)) >= fewer) await nextTurn()
      await life.end('SIGKILL')
      lefts.push(await feedbacksOf(shard, ann.id))
      assert.ok((lefts.at(-1) ?? 0) > 0, `it was done before the kill: ${lefts}`)
      if (lefts.length > KILLS) await fence.remove()
      life = await program.serve(env)
    }
    const done = stores.meta.selectFrom('erasure').select('id').where('user_id', '=', ann.id)
    while ((await done.where('done_at', 'is not', null).execute()).length === 0) await nextTurn()

    assert.equal((await life.end()).code, 0)
    assert.deepEqual(await tablesNaming(stores, ann.id), MEMORIALS.toSorted())
    assert.deepEqual(await tablesNaming(stores, 'ann@example.com'), [])
    const counts = await shard.selectFrom('feedback_counts').select('feedbacks').where('kind', '=', 'all').execute()
    assert.equal(
      counts.reduce((sum, { feedbacks }) => sum + feedbacks, 0),
      1,
    )
  },
)

/** Fails every batch with one of the last feedbacks, as if the erasure were slow. */
const FENCES = {
  async SQLite(shard: Shard, userId: string) {
    await sql.raw(`create trigger fence ${onLast(userId)} begin select raise(abort, 'fenced off'); end`).execute(shard)
    return { remove: () => sql`drop trigger fence`.execute(shard) }
  },
  async PostgreSQL(shard: Shard, userId: string) {
    await sql`create function fence() returns trigger language plpgsql as
      $$ begin raise exception 'fenced off'; end $$`.execute(shard)
    await sql.raw(`create trigger fence ${onLast(userId)} execute function fence()`).execute(shard)
    return { remove: () => sql`drop function fence() cascade`.execute(shard) }
  },
}

function onLast(userId: string): string {
  const id = `${userId}-${(ROWS - BEHIND_FENCE).toString(16).padStart(8, '0')}`
  return `before delete on feedbacks for each row when (old.id = '${id}')`
}

async function feedbacksOf(shard: Shard, userId: string): Promise<number> {
  const { count } = await shard
    .selectFrom('feedbacks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}
