import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { Interruption } from '../../../../test/interleavings/engines/interrupted-engine.ts'
import { startInterruptible } from '../../../../test/interleavings/interruptible.ts'
import { openPatiently, whileHeld } from '../../../../test/postgres/held-user.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { type Person, people, stranger } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'
import { setState } from '../../../../test/service/stores/shard-moves.ts'
import { emptyShard } from './emptying.ts'
import { moveUser } from './moving.ts'

const OPERATOR_WAITS_FOR_NOTHING = { pace: async () => undefined, progress: () => undefined }

const it = withService.extend<{ interruption: Interruption; service: Service }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  interruption: async ({}, use) => use(new Interruption()),
  service: async ({ interruption }, use) => {
    await using service = await startInterruptible(interruption)
    await use(service)
  },
})

/** What an operator does before a shard is taken away. */
async function emptied({ platform }: Service, administrator: Person, shardId: string): Promise<number> {
  await setState(administrator, shardId, 'draining')
  const { left } = await emptyShard(platform, { ...OPERATOR_WAITS_FOR_NOTHING, shardId, toShard: 'weur-1' })
  return left
}

async function usersOf(administrator: Person, shardId: string): Promise<number> {
  const { body } = await administrator.post('/api/admin/list_shards')
  return body.items.find(({ id }: { readonly id: string }) => id === shardId).users
}

describe('checklist 96: a shard that is drained and found empty stays empty', () => {
  it('whichever statement of a sign-up it happens before', async ({ service, interruption, administrator }) => {
    const signUp = (n: number) => stranger(service, `carl-${n}@example.com`).signUp()
    const empty = () => emptied(service, administrator, 'apac-1')
    await interruption.run(0, empty, () => signUp(0))
    const { statements } = interruption

    for (let n = 1; n <= statements; n++) {
      const { status } = await interruption.run(n, empty, () => signUp(n))

      assert.deepEqual([status, await usersOf(administrator, 'apac-1')], [200, 0], `statement ${n}`)
      await setState(administrator, 'apac-1', 'active')
    }
  })

  it('while a sign-up has written the user but not yet the session', async () => {
    await using service = await startService({ open: openPatiently })
    const { administrator } = await people(service)
    const carl = stranger(service)
    const empty = () => emptied(service, administrator, 'apac-1')

    const [signedUp] = await whileHeld<unknown>(service, { sql: 'lock table session in share mode' }, [
      async () => (await carl.signUp()).status,
      empty,
    ])

    assert.equal(signedUp, 200)
    assert.equal(await usersOf(administrator, 'apac-1'), 0)
  })

  it('whichever statement of a move to it it happens before', async ({ service, interruption, administrator, ann }) => {
    const empty = () => emptied(service, administrator, 'oc-1')
    const move = () => moveUser(service.platform, ann.id, 'oc-1').catch((error: Error) => error.name)
    await interruption.run(0, empty, move)
    const { statements } = interruption
    await moveUser(service.platform, ann.id, 'apac-1')

    for (let n = 1; n <= statements; n++) {
      await interruption.run(n, empty, move)

      assert.equal(await usersOf(administrator, 'oc-1'), 0, `statement ${n}`)
      await setState(administrator, 'oc-1', 'active')
      await moveUser(service.platform, ann.id, 'apac-1')
    }
  })
})
