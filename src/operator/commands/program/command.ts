export interface Command {
  readonly name: string
  readonly summary: string
  /** The text that `--help` shows below the summary. */
  readonly usage: string
  /** Returns the exit code. Loaded only when it runs, so that the other commands start fast. */
  load(): Promise<(argv: readonly string[]) => Promise<number>>
}
