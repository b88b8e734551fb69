import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { Installation } from '../processes/installation.ts'
import { makePasswordsCheap } from '../service/fakes/cheap-passwords.ts'
import { Visitor } from '../service/wire/visitor.ts'

const NAMES = ['ann', 'ben', 'cara', 'dora', 'eve', 'fay']
const LOOK_MILLISECONDS = 20
const PATIENCE_MILLISECONDS = 60_000
const MOVED_WITHIN_MILLISECONDS = 180_000
/** Slow enough for a busy machine to see the first user moved long before the last. */
const ONE_IN_A_MINUTE = String(1 / 60)

describe('checklist 97: a command that moves users beside a service with embedded stores', () => {
  it('moves on while it is suspended, since the service does the work, and writes are taken', async () => {
    await using program = new Installation()
    const { visitors, child } = await busyService(program)
    const command = program.start(['shards', 'empty', 'apac-1', '--rate', '4'])
    const ending = ended(command)
    await untilMoved(program, 1)

    command.kill('SIGSTOP')
    const written = [await statusesOf(visitors)]
    await untilMoved(program, NAMES.length)
    written.push(await statusesOf(visitors))
    command.kill('SIGCONT')
    const { code, said } = await ending

    assert.deepEqual(written.flat(), Array(2 * NAMES.length).fill(200))
    assert.deepEqual([code, said], [0, 'apac-1 is empty; 7 users were moved\n'])
    child.kill('SIGKILL')
  })

  it('moves no user once it is killed, and the next one continues', async () => {
    await using program = new Installation()
    const { child } = await busyService(program)
    const command = program.start(['shards', 'empty', 'apac-1', '--rate', ONE_IN_A_MINUTE])
    const ending = ended(command)
    await untilMoved(program, 1)

    command.kill('SIGKILL')
    await ending
    const next = await program.run(['shards', 'empty', 'apac-1', '--rate', '1000'])

    assert.deepEqual([next.code, /^apac-1 is empty; [1-6] users were moved\n$/.test(next.stdout)], [0, true])
    child.kill('SIGKILL')
  })

  it('is refused in the words of the service', async () => {
    await using program = new Installation()
    const { child } = await busyService(program)

    const { code, stderr } = await program.run(['shards', 'move-user', 'nobody@example.com', 'oc-1'])

    assert.deepEqual([code, stderr], [1, 'gatehouse: there is no user nobody@example.com\n'])
    child.kill('SIGKILL')
  })
})

/** Six visitors and the administrator, all in the shard that is to be emptied. */
async function busyService(program: Installation) {
  await makePasswordsCheap({ DATA_DIR: program.dataDir })
  const { url, child } = await program.serve()
  const visitors: Visitor[] = []
  for (const name of NAMES) visitors.push(await Visitor.signedUp(url, `${name}@example.com`))
  assert.equal((await program.run(['shards', 'drain', 'apac-1'])).code, 0)
  return { visitors, child }
}

async function statusesOf(visitors: readonly Visitor[]): Promise<readonly number[]> {
  const statuses: number[] = []
  for (const visitor of visitors) {
    const write = () => visitor.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })
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
  const stores = await openStores(readConfig({ DATA_DIR: program.dataDir }))
  const until = performance.now() + MOVED_WITHIN_MILLISECONDS
  for (;;) {
    const rows = await stores.meta.selectFrom('user_shards').select('shard_id').execute()
    const moved = rows.filter(({ shard_id }) => shard_id !== 'apac-1').length
    if (moved >= count) break
    if (performance.now() > until) throw new Error(`${moved} users were moved, not ${count}`)
    await wait(LOOK_MILLISECONDS)
  }
  await closeStores(stores)
}

async function ended(command: ChildProcess) {
  let said = ''
  command.stdout?.on('data', (data) => {
    said += data
  })
  const [code] = await once(command, 'close')
  return { code, said }
}
