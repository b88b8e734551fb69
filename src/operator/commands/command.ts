export interface Command {
  readonly name: string
  readonly summary: string
  /** What `--help` shows below the summary. */
  readonly usage: string
  /** Answers the exit code. Loaded only when asked for, so that the others start fast. */
  load(): Promise<(argv: readonly string[]) => Promise<number>>
}
