import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { describe } from 'vitest'
import type { Installation } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import type { Person } from '../service/people.ts'

const NAMES = ['ann', 'ben', 'cara', 'dora', 'eve', 'fay']
const LOOK_MILLISECONDS = 20
const PATIENCE_MILLISECONDS = 60_000
const MOVED_WITHIN_MILLISECONDS = 180_000
/** Slow enough for a busy machine to see the first user moved long before the last. */
const ONE_IN_A_MINUTE = String(1 / 60)

describe('checklist 97: a command that moves users beside a service with embedded stores', () => {
  it('continues while it is suspended, since the service does the work, and writes are accepted', async ({
    program,
  }) => {
    const users = await busyService(program)
    const command = program.start(['shards', 'empty', 'apac-1', '--rate', '4'])
    const ending = ended(command)
    await untilMoved(program, 1)

    command.kill('SIGSTOP')
    const written = [await statusesOf(users)]
    await untilMoved(program, NAMES.length)
    written.push(await statusesOf(users))
    command.kill('SIGCONT')

    assert.deepEqual(await ending, [0, 'apac-1 is empty; 7 users were moved\n'])
    assert.deepEqual(written.flat(), Array(2 * NAMES.length).fill(200))
  })

  it('moves no user once it is killed, and the next one continues; its refusals are in the words of the service', async ({
    program,
  }) => {
    await busyService(program)
    const command = program.start(['shards', 'empty', 'apac-1', '--rate', ONE_IN_A_MINUTE])
    const ending = ended(command)
    await untilMoved(program, 1)

    command.kill('SIGKILL')
    await ending
    const next = await program.run(['shards', 'empty', 'apac-1', '--rate', '1000'])
    const refused = await program.run(['shards', 'move-user', 'nobody@example.com', 'oc-1'])

    assert.deepEqual([next.code, /^apac-1 is empty; [1-6] users were moved\n$/.test(next.stdout)], [0, true])
    assert.deepEqual([refused.code, refused.stderr], [1, 'gatehouse: there is no user nobody@example.com\n'])
  })
})

/** Six users and the administrator, all in the shard that is to be emptied. */
async function busyService(program: Installation): Promise<readonly Person[]> {
  await program.prepare()
  const life = await program.serve()
  const users: Person[] = []
  for (const name of NAMES) users.push(await life.signedUp(name))
  assert.equal((await program.run(['shards', 'drain', 'apac-1'])).code, 0)
  return users
}

async function statusesOf(users: readonly Person[]): Promise<readonly number[]> {
  const statuses: number[] = []
  for (const user of users) {
    const write = () => user.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })
    let { status } = await write()
    // During the move the user gets 503 with Retry-After.
    for (let left = PATIENCE_MILLISECONDS; status === 503 && left > 0; left -= LOOK_MILLISECONDS) {
      await wait(LOOK_MILLISECONDS)
      status = (await write()).status
    }
    statuses.push(status)
  }
  return statuses
}

async function untilMoved(program: Installation, count: number): Promise<void> {
  await using stores = await program.openStores()
  const until = performance.now() + MOVED_WITHIN_MILLISECONDS
  for (;;) {
    const rows = await stores.meta.selectFrom('user_shards').select('shard_id').execute()
    const moved = rows.filter(({ shard_id }) => shard_id !== 'apac-1').length
    if (moved >= count) return
    if (performance.now() > until) throw new Error(`${moved} users were moved, not ${count}`)
    await wait(LOOK_MILLISECONDS)
  }
}

async function ended(command: ChildProcess): Promise<readonly [number | null, string]> {
  const said = text(command.stdout ?? assert.fail())
  const [code] = await once(command, 'close')
  return [code, await said]
}
