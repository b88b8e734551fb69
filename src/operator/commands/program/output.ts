import { writeFileSync } from 'node:fs'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { getSystemErrorMap } from 'node:util'

const STANDARD_OUTPUT = 1

/**
 * What can't be written ends no command: its work goes on, and the program says so at its end. A reader that has
 * gone away, like `| head`, had enough; what standard error loses is lost.
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

/** Standard output took nothing, or only a part. */
export class OutputLost extends Error {
  override readonly name = 'OutputLost'
}

export function wordsForLost(error: unknown): string {
  return `standard output can't be written (${reasonOf(error)})`
}

/** At once and whole, or it throws: for what is shown a single time. */
export function printForCertain(text: string): void {
  try {
    writeFileSync(STANDARD_OUTPUT, text)
  } catch (error) {
    throw new OutputLost(wordsForLost(error))
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [, words] = ('errno' in error && getSystemErrorMap().get(Number(error.errno))) || []
  return words ?? error.message
}
