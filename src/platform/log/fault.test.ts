import assert from 'node:assert/strict'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { describe } from 'vitest'
import { MemoryLog } from '../../../test/service/fakes/memory-log.ts'
import { it } from '../../../test/service/it.ts'
import { StoreUnavailable } from '../../database/store.ts'
import { Fault } from './fault.ts'

const AT = '10.0.0.5:5432'

function because(message: string, fields: object = {}): StoreUnavailable {
  return new StoreUnavailable('apac-1', { cause: Object.assign(new Error(message), fields) })
}

describe('the fault of a store', () => {
  it('is one line when it begins, when what it means changes and when it is over, with host, port and meaning', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const log = new MemoryLog()
    const answers = [Promise.reject(because('connect ECONNREFUSED')), Promise.resolve()]
    const fault = new Fault({ name: 'apac-1', at: AT, ping: () => answers.shift() ?? assert.fail() }, log)

    for (let i = 0; i < 50; i++) fault.failed(because('Connection terminated unexpectedly'))
    for (let i = 0; i < 50; i++) fault.failed(because('connect ECONNREFUSED', { code: 'ECONNREFUSED' }))
    fault.failed(because('Client has encountered a connection error and is not queryable'))
    for (let i = 0; i < 2; i++) {
      mock.timers.tick(2_000)
      await turnOfEvents()
    }

    assert.deepEqual(
      log.lines.map(({ level, message }) => [level, message]),
      [
        ['error', `apac-1 at ${AT} is not available: the connection was cut`],
        ['error', `apac-1 at ${AT} is not available: nothing listens there; is the server running?`],
        ['info', `apac-1 at ${AT} is available again`],
      ],
    )
    assert.equal(log.lines.at(-1)?.fields.failures, 101)
    assert.ok(log.lines.every(({ fields }) => !('error' in fields)))
  })

  it('begins anew after its end', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const log = new MemoryLog()
    const fault = new Fault({ name: 'apac-1', at: AT, ping: async () => undefined }, log)

    for (let i = 0; i < 2; i++) {
      fault.failed(because('disk full', { code: '53100' }))
      mock.timers.tick(2_000)
      await turnOfEvents()
    }

    const [began] = log.lines
    assert.match(began?.message ?? '', /its disk is full, so it accepts no writes/)
    assert.deepEqual(
      log.lines.map(({ level }) => level),
      ['error', 'info', 'error', 'info'],
    )
  })
})
