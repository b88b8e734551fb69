import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { Interruption } from '../interleavings/engines/interrupted-engine.ts'
import { startInterruptible } from '../interleavings/interruptible.ts'
import { type Person, people } from '../service/people.ts'

describe('a live stream that opens checks its caller again once it receives events', () => {
  it('and is refused if its user has signed out since the first check', async () => {
    await using w = await world()

    const opened = await w.openedWhile(w.ann, () => w.ann.post('/api/auth/sign-out'))

    assert.deepEqual(opened, [401, 'UNAUTHORIZED'])
  })

  it('and is refused if its user was suspended', async () => {
    await using w = await world()

    const opened = await w.openedWhile(w.ann, () =>
      w.administrator.post('/api/admin/suspend_user', { id: w.ann.id, reason: 'Spam' }),
    )

    assert.deepEqual(opened, [401, 'UNAUTHORIZED'])
  })

  it('and is refused if a second factor that its user lacks has become required', async () => {
    await using w = await world()

    const opened = await w.openedWhile(w.ann, () =>
      w.administrator.saveSettings('authentication', { second_factor: 'required' }),
    )

    assert.deepEqual(opened, [403, 'SECOND_FACTOR_REQUIRED'])
  })
})

async function world() {
  const interruption = new Interruption()
  const service = await startInterruptible(interruption)
  return {
    ...(await people(service)),
    /** The act happens, and open pages are informed, between the first check of the caller and the first event. */
    async openedWhile(person: Person, act: () => Promise<unknown>) {
      const headers = { authorization: `Bearer ${person.token}` }
      const meanwhile = async () => {
        await act()
        await service.runJob('events')
      }
      const response = await interruption.run('from "event_order"', meanwhile, async () =>
        service.request('/api/live', { headers }),
      )
      if (response.status !== 200) return [response.status, Object(await response.json()).code]
      await response.body?.cancel()
      return [response.status]
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
