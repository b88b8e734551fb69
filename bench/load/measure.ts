import type { Server } from '../server.ts'
import type { Generator } from './generator.ts'
import type { Load } from './load.ts'

export interface Measure {
  readonly title: string
  run(bench: Bench): Promise<Outcome>
}

export interface Bench {
  readonly generator: Generator
  readonly rounds: number
  readonly seconds: number
  readonly core: Load['core']
}

/** Ratios come first: the goal and the result. */
export interface Outcome {
  readonly ratios: readonly Ratio[]
  readonly figures: readonly Figure[]
}

export interface Ratio {
  readonly what: string
  readonly value: number
  readonly goal: string
  readonly isMet: boolean
}

export interface Figure {
  readonly what: string
  readonly [unit: string]: string | number
}

export interface Contender {
  readonly name: string
  readonly server: Server
  /** Prepares whatever differs from round to round. */
  readonly load: ContenderLoad | (() => ContenderLoad)
}

type ContenderLoad = Pick<Load, 'connections' | 'requests' | 'chain'>

type OfRound = Awaited<ReturnType<typeof runOnce>>
type Result = OfRound & { readonly name: string; readonly cpuOfRounds: readonly number[] }

/** Every contender once a round, in turn; the medians of the rounds. The first round warms up. */
export async function compare(bench: Bench, contenders: readonly Contender[]): Promise<ReadonlyMap<string, Result>> {
  const rounds = contenders.map((contender) => ({ contender, results: [] as OfRound[] }))
  for (let round = 0; round <= bench.rounds; round++) {
    for (const { contender, results } of rounds) {
      const result = await runOnce(bench, contender)
      if (round > 0) results.push(result)
    }
  }
  return new Map(
    rounds.map(({ contender: { name }, results }) => {
      const of = (unit: keyof OfRound) => median(results.map((one) => one[unit]))
      const speed = { perSecond: of('perSecond'), cpuMicroseconds: of('cpuMicroseconds') }
      const latency = { medianMilliseconds: of('medianMilliseconds'), p99Milliseconds: of('p99Milliseconds') }
      return [name, { name, ...speed, ...latency, cpuOfRounds: results.map((one) => one.cpuMicroseconds) }]
    }),
  )
}

async function runOnce({ generator, seconds, core }: Bench, { name, server, load }: Contender) {
  const given = typeof load === 'function' ? load() : load
  const before = server.cpuMilliseconds()
  const sent = await generator.run({ ...given, port: server.port, seconds, core })
  const cpuMicroseconds = ((server.cpuMilliseconds() - before) * 1000) / sent.requests
  if (sent.failures > 0) throw new Error(`${name}: ${sent.failures} requests were refused`)
  const { perSecond, medianMilliseconds, p99Milliseconds } = sent
  return { perSecond, cpuMicroseconds, medianMilliseconds, p99Milliseconds }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** The value that this share of them does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function round(value: number): number {
  return Number(value.toPrecision(3))
}

export function atLeast(what: string, value: number, goal: number, unit = '×'): Ratio {
  return { what, value, goal: `at least ${goal} ${unit}`, isMet: value >= goal }
}

export function atMost(what: string, value: number, goal: number, unit = '×'): Ratio {
  return { what, value, goal: `at most ${goal} ${unit}`, isMet: value <= goal }
}

export function figureOf(result: Result): Figure {
  return {
    what: result.name,
    'per second': Math.round(result.perSecond),
    'CPU µs': round(result.cpuMicroseconds),
    'lowest to highest': [Math.min(...result.cpuOfRounds), Math.max(...result.cpuOfRounds)].map(round).join(' to '),
    'median ms': round(result.medianMilliseconds),
    'p99 ms': round(result.p99Milliseconds),
  }
}

export function pick(results: ReadonlyMap<string, Result>, name: string): Result {
  const result = results.get(name)
  if (!result) throw new Error(`no figures for ${name}`)
  return result
}
