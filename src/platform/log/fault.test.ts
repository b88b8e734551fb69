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

  it('is one line in words for a Redis that takes no writes, though each script has its name in the reply', () => {
    const log = new MemoryLog()
    const fault = new Fault({ name: 'key-value', at: AT, ping: async () => undefined }, log)

    for (const message of [
      "READONLY You can't write against a read only replica.",
      "READONLY You can't write against a read only replica. script: 28dfcd1a, on @user_script:11.",
      "ERR Error running script (call to f_28dfcd1a): @user_script:11: -READONLY You can't write",
      "OOM command not allowed when used memory > 'maxmemory'.",
      'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
      'NOREPLICAS Not enough good replicas to write.',
    ])
      fault.failed(because(message))

    const words = ['it is a replica', 'its memory is used up', 'it cannot save its data', 'it has too few replicas']
    assert.deepEqual(
      log.lines.map(({ message }) => message),
      words.map((why) => `key-value at ${AT} is not available: ${why}, so it accepts no writes`),
    )
  })
})
