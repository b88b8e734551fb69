import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { Interruption } from '../../../../test/interleavings/engines/interrupted-engine.ts'
import { startInterruptibleEverywhere } from '../../../../test/interleavings/interruptible.ts'
import { refusal } from '../../../../test/service/answers.ts'
import { submitted } from '../../../../test/service/feedback.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { newcomer, type Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { AWAY, erased, leftOf, stoppedMove } from '../../../../test/service/stores/shard-moves.ts'
import { erasureJob } from './erasure.ts'
import { STEPS } from './user-move.ts'

const it = withService.extend<{ interruption: Interruption; service: Service }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  interruption: async ({}, use) => use(new Interruption()),
  service: async ({ interruption }, use) => {
    await using service = await startInterruptibleEverywhere(interruption)
    await use(service)
  },
})

/** `test/interleavings/erased-mover.test.ts` has every statement. */
const EVERY = 4

describe('once the audit log says that a deleted user was erased, no store has a row of theirs', () => {
  it('checklist 129: whichever statement of their move the erasure comes before; the move is 404', async ({
    service,
    interruption,
    administrator,
  }) => {
    for (let n = 1, statements = n; n <= statements; n += EVERY) {
      const ann = await someone(service, n)
      const move = () => administrator.post('/api/admin/move_user', { id: ann.id, shard_id: AWAY })

      const answer = await interruption.run(n, () => erased(service, administrator, ann), move)
      statements = interruption.statements

      assert.deepEqual([n, ...refusal(answer)], [n, 404, 'NOT_FOUND'])
      assert.equal(await erasuresLogged(administrator, ann), 1, `statement ${n}`)
      assert.deepEqual(await leftOf(service, ann), [], `statement ${n}`)
    }
  })

  it('checklist 129: after a mover was killed at any step: the erasure waits for nobody to end the move', async ({
    service,
    administrator,
  }) => {
    for (const step of STEPS) {
      const ann = await someone(service, step)
      await stoppedMove(service, ann.id, AWAY, step)

      await erased(service, administrator, ann)

      assert.deepEqual(await leftOf(service, ann), [], step)
    }
  })

  it('checklist 129: after an erasure was killed before any of its statements', async ({
    service,
    interruption,
    administrator,
  }) => {
    const kill = () => Promise.reject(new Error('killed'))
    for (let n = 1, statements = n; n <= statements; n++) {
      const ann = await someone(service, n)
      await stoppedMove(service, ann.id, AWAY, 'copied')
      await administrator.post('/api/admin/delete_user', { id: ann.id })

      await interruption.run(n, kill, () => service.runJob('erasure')).catch(() => undefined)
      statements = interruption.statements
      if ((await erasuresLogged(administrator, ann)) > 0)
        assert.deepEqual(await leftOf(service, ann), [], `at once, statement ${n}`)
      await service.runJob('erasure')

      assert.deepEqual(await leftOf(service, ann), [], `statement ${n}`)
      assert.equal(await erasuresLogged(administrator, ann), 1, `statement ${n}`)
    }
  })

  it('checklist 129: not while the shard of the copy is away', async ({ service, administrator, ann }) => {
    await submitted(ann, 'Hello')
    await stoppedMove(service, ann.id, AWAY, 'copied')
    await administrator.post('/api/admin/delete_user', { id: ann.id })
    const { platform } = service
    const others = new Map([...platform.shards].filter(([id]) => id !== AWAY))

    await erasureJob({ ...platform, shards: others }).run()
    const logged = await erasuresLogged(administrator, ann)
    await service.runJob('erasure')

    assert.deepEqual([logged, await leftOf(service, ann)], [0, []])
    assert.equal(await erasuresLogged(administrator, ann), 1)
  })
})

async function someone(service: Service, name: string | number): Promise<Person> {
  const person = await newcomer(service, `ann-${name}@example.com`)
  await submitted(person, 'Hello')
  return person
}

async function erasuresLogged(administrator: Person, { id }: Person): Promise<number> {
  const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.erased' })
  return body.items.filter(({ subject_id }: { readonly subject_id: string }) => subject_id === id).length
}
