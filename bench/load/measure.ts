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
  /** A store that works for the server in its own processes, whose time is counted too. */
  readonly store?: Pick<Server, 'cpuMilliseconds'>
  /** Prepares whatever differs from round to round. */
  readonly load: ContenderLoad | (() => Promise<ContenderLoad>)
}

type ContenderLoad = Pick<Load, 'connections' | 'requests' | 'chain'>

interface Result {
  readonly name: string
  readonly perSecond: number
  /** The server and its store together. */
  readonly cpuMicroseconds: number
  /** One for each round, in order. */
  readonly cpuOfRounds: readonly number[]
  readonly medianMilliseconds: number
  readonly p99Milliseconds: number
}

/** Every contender once a round, in turn; the medians of the rounds. The first round warms up. */
export async function compare(bench: Bench, contenders: readonly Contender[]): Promise<ReadonlyMap<string, Result>> {
  const rounds = new Map<string, Result[]>(contenders.map(({ name }) => [name, []]))
  for (let round = -1; round < bench.rounds; round++) {
    for (const contender of contenders) {
      const result = await runOnce(bench, contender)
      if (round >= 0) rounds.get(contender.name)?.push(result)
    }
  }
  return new Map([...rounds].map(([name, all]) => [name, medianOf(name, all)]))
}

async function runOnce(bench: Bench, { name, server, store, load }: Contender): Promise<Result> {
  const { generator, seconds, core } = bench
  const given = typeof load === 'function' ? await load() : load
  const used = () => server.cpuMilliseconds() + (store?.cpuMilliseconds() ?? 0)
  const before = used()
  const sent = await generator.run({ ...given, port: server.port, seconds, core })
  const cpu = used() - before
  if (sent.failures > 0) throw new Error(`${name}: ${sent.failures} requests were refused`)
  const cpuMicroseconds = (cpu * 1000) / sent.requests
  return { name, ...sent, cpuMicroseconds, cpuOfRounds: [cpuMicroseconds] }
}

function medianOf(name: string, all: readonly Result[]): Result {
  const of = (pick: (result: Result) => number) => median(all.map(pick))
  return {
    name,
    perSecond: of((one) => one.perSecond),
    cpuMicroseconds: of((one) => one.cpuMicroseconds),
    cpuOfRounds: all.flatMap(({ cpuOfRounds }) => cpuOfRounds),
    medianMilliseconds: of((one) => one.medianMilliseconds),
    p99Milliseconds: of((one) => one.p99Milliseconds),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
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

/**
 * How many requests one core serves when it does nothing else. On a busy machine, wall-clock time also measures
 * the other work; processor time does not.
 */
export function perCoreSecond(results: ReadonlyMap<string, Result>, name: string): number {
  return 1e6 / pick(results, name).cpuMicroseconds
}

export function round(value: number): number {
  return Number(value.toPrecision(3))
}

export function pick(results: ReadonlyMap<string, Result>, name: string): Result {
  const result = results.get(name)
  if (!result) throw new Error(`no figures for ${name}`)
  return result
}

/** The value that this share of them does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
