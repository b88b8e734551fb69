import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { moveUser } from '../../src/features/tenancy/moves/moving.ts'
import { STEPS } from '../../src/features/tenancy/moves/user-move.ts'
import { refusal } from '../service/answers.ts'
import { submitted } from '../service/feedback.ts'
import { it as withService } from '../service/it.ts'
import { newcomer, type Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'
import { AWAY, erased, leftOf, stoppedMove } from '../service/stores/shard-moves.ts'
import { Interruption } from './engines/interrupted-engine.ts'
import { startInterruptibleEverywhere } from './interruptible.ts'

const it = withService.extend<{ interruption: Interruption; service: Service }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  interruption: async ({}, use) => use(new Interruption()),
  service: async ({ interruption }, use) => {
    await using service = await startInterruptibleEverywhere(interruption)
    await use(service)
  },
})

describe('no store has a row of an erased user', () => {
  it('whichever statement of their move the erasure comes before', async ({ service, interruption, administrator }) => {
    for (let n = 1, statements = n; n <= statements; n++) {
      const ann = await someone(service, n)
      const move = () => administrator.post('/api/admin/move_user', { id: ann.id, shard_id: AWAY })

      const answer = await interruption.run(n, () => erased(service, administrator, ann), move)
      statements = interruption.statements

      assert.deepEqual([n, ...refusal(answer)], [n, 404, 'NOT_FOUND'])
      assert.deepEqual(await leftOf(service, ann), [], `statement ${n}`)
    }
  })

  it('whichever statement of the erasure the rest of their move comes before, from any step', async ({
    service,
    interruption,
    administrator,
  }) => {
    for (const step of STEPS) {
      for (let n = 1, statements = n; n <= statements; n++) {
        const ann = await someone(service, `${step}-${n}`)
        await stoppedMove(service, ann.id, AWAY, step)
        await administrator.post('/api/admin/delete_user', { id: ann.id })
        const move = () => moveUser(service.platform, ann.id, AWAY).catch((error: Error) => error.message)

        await interruption.run(n, move, () => service.runJob('erasure'))
        statements = interruption.statements

        assert.deepEqual(await leftOf(service, ann), [], `${step}, statement ${n}`)
      }
    }
  })
})

async function someone(service: Service, name: string | number): Promise<Person> {
  const person = await newcomer(service, `ann-${name}@example.com`)
  await submitted(person, 'Hello')
  return person
}
