import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { describe, onTestFinished } from 'vitest'
import { MemoryLog } from '../../test/service/fakes/memory-log.ts'
import { it } from '../../test/service/it.ts'
import { StoreUnavailable } from '../database/store.ts'
import { BackgroundRunner, wakeOnInserts } from './background.ts'
import { openMetrics } from './metrics/metrics.ts'
import { NO_TRACES } from './traces/traces.ts'

describe('background', () => {
  it('a woken job runs soon, and many wakes at once are one run', async () => {
    const { runner, runs } = runnerOf(async () => {})

    for (let i = 0; i < 10; i++) runner.wake('mail')
    await runner.idle()

    assert.equal(runs(), 1)
  })

  it('an insert by this process wakes the job that names the table, in the global store and in each shard', async ({
    service: { platform },
  }) => {
    const woken: string[] = []
    const background = { wake: (job: string) => void woken.push(job) }
    const wokenBy = { meta: 'key_value', shards: 'notification_reads' } as const
    const { meta, shards } = platform

    wakeOnInserts({ meta, shards, background }, [{ name: 'mail', everySeconds: 3_600, wokenBy, run: async () => {} }])
    await meta.insertInto('key_value').values({ key: 'a', value: '', expires_at: 0 }).execute()
    for (const shard of shards.values())
      await shard.insertInto('notification_reads').values({ notification_id: 'a', user_id: 'b' }).execute()
    await meta.deleteFrom('key_value').where('key', '=', 'a').execute()

    assert.deepEqual(woken, Array(1 + shards.size).fill('mail'))
  })

  it('a wake during a run is followed by one more run', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { runner, runs } = runnerOf(() => {
      begin()
      return gate
    })

    runner.wake('mail')
    await begun
    runner.wake('mail')
    runner.wake('mail')
    open()
    await runner.idle()

    assert.equal(runs(), 2)
  })

  it('a job that fails is logged, and runs again at its next turn', async () => {
    const { runner, runs, log } = runnerOf(async () => {
      throw new Error('the provider hung up')
    })

    runner.wake('mail')
    await runner.idle()
    runner.wake('mail')
    await runner.idle()

    const [line] = log.lines
    assert.deepEqual([runs(), line?.level, line?.fields.job], [2, 'error', 'mail'])
    assert.match(String(line?.fields.error), /hung up/)
  })

  it('a failure that repeats is logged when it begins, when its reason changes, and when it has ended; not when it soon comes back', async () => {
    const reasons = ['is read-only', 'is read-only', 'is away', 'is away', undefined, undefined, 'is away']
    const coming = reasons.values()
    const { runner, log } = runnerOf(async () => {
      const cause = coming.next().value
      if (cause) throw new Error('the store is not available', { cause: new Error(cause) })
    })

    for (const _ of reasons) {
      runner.wake('mail')
      await runner.idle()
    }

    const lines = log.lines.filter(({ level }) => level !== 'debug')
    assert.deepEqual(
      lines.map(({ level, fields, message }) => [level, fields.job, fields.failures, message]),
      [
        ['error', 'mail', undefined, 'a background job failed'],
        ['error', 'mail', undefined, 'a background job failed'],
        ['info', 'mail', 4, 'a background job works again'],
      ],
    )
    assert.equal(log.lines.length, lines.length + 3)
  })

  it('each failure is counted, and that of a store is logged by the store alone', async () => {
    const { runner, log, metrics } = runnerOf(async () => {
      throw new StoreUnavailable('meta')
    })

    const before = await metrics.text()
    runner.wake('mail')
    await runner.idle()

    assert.match(before, /gatehouse_job_failures_total\{job="mail"\} 0/)
    assert.match(await metrics.text(), /gatehouse_job_failures_total\{job="mail"\} 1/)
    assert.deepEqual(log.lines, [])
  })

  it('a job that continues what an ended process left runs at the start', async () => {
    const runner = new BackgroundRunner(new MemoryLog(), openMetrics('service'), NO_TRACES)
    const begun = Promise.withResolvers<void>()
    const run = async () => begun.resolve()

    runner.start([{ name: 'erasure', everySeconds: 3_600, atStart: true, run }])

    await begun.promise
    await runner.stop()
  })

  it('each job runs at its own pace', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const { runner, runs } = runnerOf(async () => {}, 60)

    mock.timers.tick(30_000)
    await runner.idle()
    assert.equal(runs(), 1)
    mock.timers.tick(59_000)
    assert.equal(runs(), 1)
    mock.timers.tick(1_000)
    await runner.idle()

    assert.equal(runs(), 2)
  })

  it('stop waits for what runs and starts nothing more', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const ended = mock.fn()
    const { runner, runs } = runnerOf(async () => {
      begin()
      await gate
      ended()
    })
    runner.wake('mail')
    await begun

    const stopped = runner.stop()
    runner.wake('mail')
    open()
    await stopped

    assert.deepEqual([ended.mock.callCount(), runs()], [1, 1])
  })
})

function runnerOf(work: () => Promise<void>, everySeconds = 3_600) {
  const [log, metrics] = [new MemoryLog(), openMetrics('service')]
  const run = mock.fn(work)
  const runner = new BackgroundRunner(log, metrics, NO_TRACES, () => 0.5)
  runner.start([{ name: 'mail', everySeconds, run }])
  onTestFinished(() => runner.stop())
  return { runner, log, metrics, runs: () => run.mock.callCount() }
}
