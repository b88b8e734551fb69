/** Work that goes on beside requests: mail, erasures, sweeps. */
export interface Background {
  /** The named job has something to do; runs it soon instead of at its next turn. */
  wake(job: string): void
}

export interface Job {
  readonly name: string
  readonly everySeconds: number
  /** Does what is due now; several processes may run it at once. */
  run(): Promise<void>
}
