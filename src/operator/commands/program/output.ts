import { writeFileSync } from 'node:fs'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { getSystemErrorMap } from 'node:util'
import { escaped, forTerminal } from '../../../rules/one-line.ts'
import { OperatorError } from '../../../rules/operator-error.ts'

const STANDARD_OUTPUT = 1

/**
 * A failed write does not end the command: its work goes on, and the program reports the failure at the end.
 * A reader that leaves early, like `| head`, is not a failure. Failures on standard error are ignored.
 */
export function watchOutput(): () => Promise<NodeJS.ErrnoException | undefined> {
  let lost: NodeJS.ErrnoException | undefined
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost ??= error
  })
  return async () => {
    await turnOfEvents()
    return lost
  }
}

/** Returns whether there is room for more. */
export function print(text: string): boolean {
  return process.stdout.write(`${forTerminal(text)}\n`)
}

export function printJson(value: unknown): void {
  process.stdout.write(`${escaped(JSON.stringify(value, null, 2))}\n`)
}

/** Messages for people, apart from the output. */
export function say(text: string): void {
  process.stderr.write(`${forTerminal(text)}\n`)
}

/** Standard output was not written, or only in part. */
export class OutputLost extends OperatorError {}

export function wordsForLostOutput(error: unknown): string {
  return `standard output can't be written (${reasonOf(error)})`
}

/** Writes at once and in full, or throws: for output that is shown only once. */
export function printOrThrow(text: string): void {
  try {
    writeFileSync(STANDARD_OUTPUT, forTerminal(text))
  } catch (error) {
    throw new OutputLost(wordsForLostOutput(error))
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [, words] = ('errno' in error && getSystemErrorMap().get(Number(error.errno))) || []
  return words ?? error.message
}
