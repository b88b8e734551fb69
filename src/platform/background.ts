import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { MetaTables, ShardTables } from '../database/schema/tables.ts'
import { StoreUnavailable } from '../database/store.ts'
import type { Log } from './log/log.ts'
import { RepeatedFailure } from './log/repeated-failure.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Platform } from './platform.ts'
import type { Traces } from './traces/traces.ts'

const LONGEST_REST_MILLISECONDS = 1_000
const SHORTEST_REST_MILLISECONDS = 20
/** If the event loop is busy for less than this share of its time, nothing waits for it. */
const UNUSED = 0.1

/** Background work: mail, erasures, sweeps. */
export interface Background {
  /** Runs the named job soon instead of at its next turn, because there is something to do. */
  wake(job: string): void
}

export interface Job {
  readonly name: string
  readonly everySeconds: number
  /** One run serves all wakes within this time; without it, all wakes of one turn of the event loop. */
  readonly gatherMilliseconds?: number
  /** Resolves when the work that a run has left running has ended. */
  settled?(): Promise<void>
  /** Runs soon after this process has inserted into one of these tables. */
  readonly wokenBy?: { readonly meta: keyof MetaTables; readonly shards?: keyof ShardTables }
  /** Runs at the start, to continue the unfinished work of an earlier process. */
  readonly atStart?: true
  /** Does the work that is due now. Several processes can run it at once. */
  run(): Promise<void>
}

/** Wakes each job when this process writes something for it to do. */
export function wakeOnInserts(
  { meta, shards, background }: Pick<Platform, 'meta' | 'shards' | 'background'>,
  jobs: readonly Job[],
): void {
  for (const { name, wokenBy } of jobs) {
    const wake = () => background.wake(name)
    if (wokenBy) meta.onInsert(wokenBy.meta, wake)
    if (wokenBy?.shards) for (const shard of shards.values()) shard.onInsert(wokenBy.shards, wake)
  }
}

/** Waits for several things at once. It fails only when all have ended, so that none outlives the run. */
export async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work)
  await Promise.all(work)
}

/**
 * Lets a long job rest after some work, `times` as long as the event loop was busy meanwhile, unless nothing else uses
 * the loop. Time that the job has already waited counts.
 */
export function restingFor(times: number): () => Promise<void> {
  let since = performance.eventLoopUtilization()
  return async () => {
    const { active, idle } = performance.eventLoopUtilization(since)
    let left = Math.min(active * times - idle, LONGEST_REST_MILLISECONDS)
    while (left > 0) {
      const before = performance.eventLoopUtilization()
      await wait(Math.min(left, SHORTEST_REST_MILLISECONDS))
      left = performance.eventLoopUtilization(before).utilization < UNUSED ? 0 : left - SHORTEST_REST_MILLISECONDS
    }
    since = performance.eventLoopUtilization()
  }
}

/** Runs each job at its own pace, never twice at once in this process. */
export class BackgroundRunner implements Background {
  readonly #log: Log
  readonly #metrics: Metrics
  readonly #traces: Traces
  readonly #chance: () => number
  readonly #turns = new Map<string, Turns>()

  constructor(log: Log, metrics: Metrics, traces: Traces, chance: () => number = Math.random) {
    this.#log = log
    this.#metrics = metrics
    this.#traces = traces
    this.#chance = chance
  }

  start(jobs: readonly Job[]): void {
    this.#metrics.counter(
      'job_failures',
      'job',
      jobs.map(({ name }) => name),
    )
    const failed = (job: string) => this.#metrics.count('job_failures', job)
    for (const untraced of jobs) {
      const job = traced(untraced, this.#traces)
      this.#turns.set(job.name, new Turns(job, this.#log, failed, this.#chance))
      if (job.atStart) this.wake(job.name)
    }
  }

  /** Does nothing before the start: the first turn comes anyway. */
  wake(job: string): void {
    this.#turns.get(job)?.wake()
  }

  /** Resolves when nothing runs and nothing has been woken. */
  async idle(): Promise<void> {
    await Promise.all([...this.#turns.values()].map((turns) => turns.idle()))
  }

  /** Starts no new turns, and resolves when the running ones have ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#turns.values()].map((turns) => turns.stop()))
  }
}

function traced(job: Job, traces: Traces): Job {
  return {
    ...job,
    run: () => traces.around({ name: `job ${job.name}`, kind: 'internal' }, () => job.run()),
  }
}

/** The turns of one job. */
class Turns {
  readonly #job: Job
  readonly #failure: RepeatedFailure
  readonly #failed: (job: string) => void
  readonly #chance: () => number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isWoken = false
  #isStopped = false

  constructor(job: Job, log: Log, failed: (job: string) => void, chance: () => number) {
    this.#job = job
    this.#failed = failed
    this.#failure = new RepeatedFailure(log.child({ job: job.name }), {
      failed: 'a background job failed',
      ended: 'a background job works again',
    })
    this.#chance = chance
    // Spreads processes that start together.
    this.#schedule(chance())
  }

  wake(): void {
    if (this.#isStopped) return
    this.#isWoken = true
    this.#running ??= this.#runWhileWoken()
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
    await this.#job.settled?.()
  }

  async #runWhileWoken(): Promise<void> {
    clearTimeout(this.#timer)
    while (this.#isWoken && !this.#isStopped) {
      const { gatherMilliseconds } = this.#job
      await (gatherMilliseconds === undefined ? nextTurn() : wait(gatherMilliseconds))
      this.#isWoken = false
      await this.#job.run().then(
        () => this.#failure.ended(),
        (error: unknown) => {
          this.#failed(this.#job.name)
          // The fault of the store has its own line.
          if (!(error instanceof StoreUnavailable)) this.#failure.failed(error, 'error')
        },
      )
    }
    this.#running = undefined
    if (!this.#isStopped) this.#schedule(0.9 + this.#chance() * 0.2)
  }

  #schedule(share: number): void {
    this.#timer = setTimeout(() => this.wake(), this.#job.everySeconds * 1000 * share).unref()
  }
}
