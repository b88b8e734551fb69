import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Env, Installation, Life } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import type { Person } from '../service/people.ts'
import { canTrace, interfere } from './support/strace.ts'
import { Wire } from './support/wire.ts'

const SHARD = 'apac-1'

describe('checklist 99: a process that is killed between a write with a key and its answer', () => {
  it.skipIf(!canTrace)(
    'SQLite: the write is done, and the same request again gets its answer (needs strace)',
    async ({ program }) => {
      await program.prepare()
      const first = await program.serve()
      const ann = await first.signedUp('ann')
      // The commit is written by now, and flushed next.
      const killed = await interfere(first.child, program, [SHARD], 'fsync,fdatasync:signal=KILL')

      const lost = await submit(ann).catch(() => undefined)
      await killed.drop()
      await first.end('SIGKILL')

      assert.equal(lost, undefined, 'it was answered')
      await checkRepeated(program, await program.serve())
    },
  )

  it('PostgreSQL: the write is done, and the same request again gets its answer', async ({ program, places }) => {
    const env = await places.on('PostgreSQL')
    await using wire = await Wire.to(Number(new URL(env.DATABASE_URL ?? '').port))
    await program.prepare(env)
    const first = await program.serve({ ...env, SHARDS: wire.through(env.SHARDS ?? '') })
    const ann = await first.signedUp('ann')

    const committed = wire.unanswered('Hello')
    const lost = submit(ann).catch(() => undefined)
    await committed
    await first.end('SIGKILL')

    assert.equal(await lost, undefined, 'it was answered')
    await checkRepeated(program, await program.serve(env), env)
  })
})

function submit(ann: Person) {
  return ann.post('/api/submit_feedback', { type: 'idea', content: 'Hello' }, { 'idempotency-key': 'a key' })
}

async function checkRepeated(program: Installation, next: Life, env: Env = {}): Promise<void> {
  await using stores = await program.openStores(env)
  const feedbacks = () => stores.shards.get(SHARD)?.selectFrom('feedbacks').select('id').execute()
  const before = (await feedbacks()) ?? []
  const ann = await next.signedIn({ email: 'ann@example.com' })
  const answers = [await submit(ann), await submit(ann)]

  assert.equal(before.length, 1, 'nobody was killed in between')
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.id]),
    [1, 2].map(() => [200, before[0]?.id]),
  )
  assert.deepEqual(await feedbacks(), before)
}
