import assert from 'node:assert/strict'
import { describe, it, vi } from 'vitest'
import { MemoryLog } from '../../../test/service/fakes/memory-log.ts'
import { RepeatedFailure } from './repeated-failure.ts'

const MINUTE = 60_000
const WORDS = { failed: 'the events of a shard are delayed', ended: 'the events of a shard are no longer delayed' }

function failing() {
  const log = new MemoryLog()
  const shown = () => log.lines.filter(({ level }) => level !== 'debug').map(({ level }) => level)
  return { log, shown, failure: new RepeatedFailure(log, WORDS) }
}

describe('a failure that is repeated', () => {
  it('is a line when it begins, one for each further reason, and one when it has ended', () => {
    const { log, shown, failure } = failing()

    for (let i = 0; i < 10; i++) for (const reason of ['no response', 'cut']) failure.failed(new Error(reason), 'warn')
    failure.ended()

    assert.deepEqual(shown(), ['warn', 'warn', 'info'])
    assert.equal(log.lines.at(-1)?.fields.failures, 20)
  })

  it('that comes and goes is logged once in a minute without it', () => {
    using _ = fakePerformance()
    const { shown, failure } = failing()

    for (let i = 0; i < 22; i++) {
      failure.failed(new Error('no response'), 'warn')
      failure.ended()
    }
    const flapping = shown()
    vi.advanceTimersByTime(MINUTE)
    failure.failed(new Error('no response'), 'warn')

    assert.deepEqual(flapping, ['warn', 'info'])
    assert.deepEqual(shown(), ['warn', 'info', 'warn'])
  })

  it('that came back soon is logged once it has lasted for a minute, and then its end too', () => {
    using _ = fakePerformance()
    const { shown, failure } = failing()
    failure.failed(new Error('no response'), 'error')
    failure.ended()

    failure.failed(new Error('no response'), 'error')
    vi.advanceTimersByTime(MINUTE)
    for (let i = 0; i < 3; i++) failure.failed(new Error('no response'), 'error')
    failure.ended()

    assert.deepEqual(shown(), ['error', 'info', 'error', 'info'])
  })
})

function fakePerformance(): Disposable {
  vi.useFakeTimers({ toFake: ['performance'] })
  return { [Symbol.dispose]: () => vi.useRealTimers() }
}
