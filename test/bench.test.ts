import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { Generator } from '../bench/load/generator.ts'
import { generate } from '../bench/load/load.ts'
import { compare, figureOf, pick, roundByRound } from '../bench/load/measure.ts'
import { processorTimeOfAll } from '../bench/load/processor-time.ts'
import { costsOf } from '../bench/report/cost.ts'
import { type Result, resultsOf } from '../bench/report/page.ts'
import { continued, newRun } from '../bench/report/report.ts'
import { startHttpServer } from './processes/http-server.ts'

describe('the page of measurements', () => {
  const run = newRun({ rounds: 5, seconds: 2 })
  const result = (name: string, isMet: boolean): Result => ({
    name,
    title: name,
    at: '2026-01-02T03:04:05.000Z',
    run,
    took: 60,
    ratios: [{ what: `ratio of ${name}`, value: 0.4, goal: 'at least 0.5 ×', isMet }],
    figures: [{ what: 'ours', 'CPU µs': 12 }],
  })

  it('lists the missed goals before anything else', () => {
    const page = resultsOf([result('first', true), result('second', false)], run)

    const order = ['ratio of second', 'ratio of first', '**first.**'].map((words) => page.indexOf(words))
    assert.ok(
      order.every((place, i) => place > (order[i - 1] ?? 0)),
      order.join(),
    )
    assert.match(page, /^One run, begun at a load of [\d.]+: .* 5 rounds of 2 s each after one to warm up\./)
  })

  it('gives the reason of a missed goal, and only of a missed one', () => {
    const [missed, met] = [false, true].map((isMet) => resultsOf([result('refresh', isMet)], run))

    assert.match(missed ?? '', /Why:\n\n- `refresh`: /)
    assert.doesNotMatch(met ?? '', /Why:/)
  })

  it('names what failed before everything else', () => {
    const page = resultsOf([result('first', false)], run, ['second'])

    assert.ok(page.indexOf('These failed in this run: second.') < page.indexOf('Goals that were missed'))
  })

  it('says so if no goal was missed', () => {
    const page = resultsOf([result('first', true)], run)

    assert.match(page, /### Every goal was reached/)
    assert.doesNotMatch(page, /missed/)
  })
})

describe('a measure that is repeated into the last run', () => {
  const now = newRun({ rounds: 5, seconds: 2 })
  const last = { run: { ...now, id: randomUUID(), loadBefore: 0 }, failed: ['refresh'] }

  it('is one that failed, on the same machine, with the same versions and rounds', () => {
    assert.equal(continued(last, now, ['refresh']).run, last.run)
  })

  it('cannot be one that has a result', () => {
    for (const wanted of [['oidc'], ['refresh', 'oidc'], []])
      assert.throws(() => continued(last, now, wanted), /Only a measure that failed.*: refresh/)
  })

  it('needs the same rounds and the same version of the program', () => {
    const others = [
      { ...now, secondsOfARound: 5 },
      { ...now, version: 'another' },
    ]

    for (const other of others) assert.throws(() => continued(last, other, ['refresh']), /other rounds/)
  })
})

describe('the cost of a user', () => {
  const cpu = (name: string, what: string, microseconds: number) => ({
    name,
    figures: [{ what, 'CPU µs': microseconds }],
  })
  const measured = [
    cpu('sign-in', 'sign-in', 210_000),
    cpu('session-check', 'cookie', 50),
    cpu('notifications', 'page of 1,000', 100),
    cpu('postgres', 'session check', 80),
    cpu('bookmarks', 'no bookmark', 150),
  ]

  it('is added up for a day, and says how many users a small machine can serve', () => {
    const table = costsOf(measured) ?? ''

    // 12 × (50 + 100) + 200 × 50 + 210,000 / 30 = 18,800 µs, a tenth of it in an hour that has 600 s.
    assert.match(table, /a day with `\/api\/verify`\*\* \| \*\*19 ms\*\*/)
    assert.match(table, /with `\/api\/verify` \| 320,000 \|/)
  })

  it('is not written if a part of it was not measured', () => {
    assert.equal(costsOf(measured.slice(1)), undefined)
  })
})

describe('the load generator', () => {
  let server: Awaited<ReturnType<typeof startHttpServer>>
  beforeAll(async () => {
    server = await startHttpServer(() => ({ body: {} }))
  })
  afterAll(() => server.stop())

  const load = (further: object) => ({
    port: Number(new URL(server.url).port),
    connections: 4,
    seconds: 0.2,
    core: 'shared' as const,
    requests: ['GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ...further,
  })

  it('sends as many as are due in an open loop, however fast they are answered', async () => {
    const heard = server.heard.length

    const result = await generate(load({ perSecond: 200 }))

    assert.deepEqual([result.requests, result.failures, server.heard.length - heard], [40, 0, 40])
  })

  it('counts the store with the server, and shows the spread of the rounds', async () => {
    const ticks = [0, 10, 100, 130, 200, 220]
    const own = { ...silent, port: load({}).port, cpuMilliseconds: () => 0 }
    const store = { cpuMilliseconds: () => ticks.shift() ?? 0 }
    const answers = { requests: 10, perSecond: 1, medianMilliseconds: 1, p99Milliseconds: 1, failures: 0 }
    await using generator = Object.assign(new Generator(), { run: async () => ({ ...answers, tokens: [] }) })

    const standings = await compare({ generator, rounds: 2, seconds: 1, core: 'own' }, [
      { name: 'ours', server: own, store, load: { connections: 1 } },
    ])

    const { cpuMicroseconds } = standings.get('ours') ?? {}
    const shown = figureOf(pick(standings, 'ours'))
    assert.deepEqual([cpuMicroseconds, shown['lowest to highest']], [2_500, '2000 to 3000'])
  })

  it('compares each round with the other’s in the same round, so that one slow round decides nothing', () => {
    const idle = { name: '', perSecond: 1, cpuMicroseconds: 1, medianMilliseconds: 1, p99Milliseconds: 1 }
    const ours = { ...idle, cpuOfRounds: [10, 40, 20] }
    const others = { ...idle, cpuOfRounds: [20, 20, 40] }

    assert.equal(roundByRound(ours, others), 0.5)
  })

  it('counts the time of processes that run, and none of one that has ended', () => {
    assert.ok(processorTimeOfAll([process.pid]) > 0)
    assert.equal(processorTimeOfAll([2 ** 22 + 1]), 0)
  })
})

const silent = {
  memoryMegabytes: () => 0,
  peakMemoryMegabytes: () => 0,
  forgetPeak: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}
