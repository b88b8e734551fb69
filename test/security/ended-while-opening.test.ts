import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Code } from '../../src/rules/refusal.ts'
import { Interruption } from '../interleavings/engines/interrupted-engine.ts'
import { startInterruptible } from '../interleavings/interruptible.ts'
import { assertRefused } from '../service/answers.ts'
import { it as withService } from '../service/it.ts'
import type { Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'

interface Fixtures {
  readonly interruption: Interruption
  readonly service: Service
}

const it = withService.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  interruption: async ({}, use) => use(new Interruption()),
  service: async ({ interruption }, use) => {
    await using service = await startInterruptible(interruption)
    await use(service)
  },
})

type Act = (ann: Person, administrator: Person) => Promise<unknown>

const MEANWHILE: Readonly<Record<string, readonly [act: Act, code: Code]>> = {
  'its user has signed out since the first check': [(ann) => ann.post('/api/auth/sign-out'), 'UNAUTHORIZED'],
  'its user was suspended': [
    ({ id }, administrator) => administrator.post('/api/admin/suspend_user', { id, reason: 'Spam' }),
    'UNAUTHORIZED',
  ],
  'a second factor that its user lacks has become required': [
    (_, administrator) => administrator.saveSettings('authentication', { second_factor: 'required' }),
    'SECOND_FACTOR_REQUIRED',
  ],
}

describe('a live stream that opens checks its caller again once it receives events', () => {
  it.for(Object.entries(MEANWHILE))(
    'and is refused if %s',
    async ([, [act, code]], { interruption, service, administrator, ann }) => {
      const headers = { authorization: `Bearer ${ann.token}` }
      const meanwhile = async () => {
        await act(ann, administrator)
        await service.runJob('events')
      }

      const response = await interruption.run('from "event_order"', meanwhile, () =>
        service.request('/api/live', { headers }),
      )

      assert.notEqual(response.status, 200)
      assertRefused({ status: response.status, body: await response.json() }, code)
    },
  )
})
