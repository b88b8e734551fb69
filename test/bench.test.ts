import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { Generator } from '../bench/load/generator.ts'
import { compare, figureOf, pick } from '../bench/load/measure.ts'
import { processorTimeOfAll } from '../bench/server.ts'

describe('a measure', () => {
  it('shows the spread of the rounds, and its first round only warms up', async () => {
    const ticks = [0, 10, 100, 130, 200, 220]
    const dispose = { [Symbol.asyncDispose]: async () => undefined }
    const server = { ...dispose, port: 0, cpuMilliseconds: () => ticks.shift() ?? 0, memoryMegabytes: () => 0 }
    const answers = { requests: 10, perSecond: 1, medianMilliseconds: 1, p99Milliseconds: 1, failures: 0 }
    await using generator = Object.assign(new Generator(), { run: async () => answers })

    const standings = await compare({ generator, rounds: 2, seconds: 1, core: 'own' }, [
      { name: 'ours', server, load: { connections: 1 } },
    ])

    const { cpuMicroseconds } = standings.get('ours') ?? {}
    const shown = figureOf(pick(standings, 'ours'))
    assert.deepEqual([cpuMicroseconds, shown['lowest to highest']], [2_500, '2000 to 3000'])
  })

  it('counts the time of processes that run, and none of one that has ended', () => {
    assert.ok(processorTimeOfAll([process.pid]) > 0)
    assert.equal(processorTimeOfAll([2 ** 22 + 1]), 0)
  })
})
