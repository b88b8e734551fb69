import assert from 'node:assert/strict'
import { STEPS } from '../../src/features/tenancy/moves/user-move.ts'
import { ENGINES, it } from '../processes/it.ts'
import type { Person } from '../service/people.ts'
import { killAt } from './support/kill-at.ts'

it.for(ENGINES)(
  'a mover that is killed at each step while the user writes loses and doubles nothing that was acknowledged, on %s',
  async (engine, { program, places }) => {
    const stores = await places.on(engine, 'apac-1', 'weur-1')
    const credentials = await program.prepare(stores)
    // The user writes faster than any person.
    const life = await program.serve({ ...stores, USER_LIMIT_FACTOR: '1000' })
    const ann = await life.signedUp('ann')
    const writing = keepWriting(ann)

    const env = { DATA_DIR: program.dataDir, ...stores }
    for (const step of STEPS) await killAt(step, env, 'move', ann.id, 'weur-1')
    const moved = await program.run(['shards', 'move-user', 'ann@example.com', 'weur-1'], stores)
    const back = await program.run(['shards', 'move-user', ann.id, 'apac-1'], stores)
    const acknowledged = await writing.stop()
    const verified = await program.run(['shards', 'verify'], stores)

    assert.equal(moved.code, 0, moved.stderr)
    assert.match(back.stdout, /is on apac-1 \(moved\)/, back.stderr)
    assert.ok(acknowledged.length > 0)
    const listed = await feedbackIds(await life.signedIn(credentials), ann.id)
    assert.deepEqual(listed.toSorted(), acknowledged.toSorted())
    assert.deepEqual([verified.code, verified.stdout], [0, ''], verified.stderr)
    assert.equal((await life.end()).code, 0)
  },
)

/** Submits feedback as fast as it is answered. A write that meets the move is refused, politely. */
function keepWriting(person: Person) {
  let isOn = true
  const acknowledged: string[] = []
  const written = (async () => {
    while (isOn) {
      const answer = await person.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })
      if (answer.status === 200) acknowledged.push(answer.body.id)
      else assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '2'])
    }
    return acknowledged
  })()
  return {
    stop() {
      isOn = false
      return written
    },
  }
}

async function feedbackIds(administrator: Person, userId: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const filter = { user_id: userId, page, page_size: 100 }
    const { body } = await administrator.post('/api/admin/list_feedbacks', filter)
    ids.push(...body.items.map(({ id }: { id: string }) => id))
    if (body.items.length > 0) continue
    assert.equal(body.total, ids.length)
    return ids
  }
}
