import { Failure, usage } from '../../terminal/failure.ts'
import type { Io } from '../../terminal/io.ts'

/** Refuses an expression that does not compile before anything is sent, so that no write is done without its output. */
export async function checkJq(io: Io, expression: string): Promise<void> {
  const trouble = await evaluate(io, 'null', expression, []).then(
    () => '',
    (error: unknown) => wordsOf(error),
  )
  if (/compile error|syntax error/.test(trouble)) throw usage(trouble.split('\n')[0] ?? trouble)
}

/** Text comes out without quotes, as gh's users expect; the rest is compact in a pipe, pretty on a terminal. */
export async function runJq(io: Io, expression: string, json: string): Promise<string> {
  try {
    return await evaluate(io, json, expression, io.isTTY.stdout ? ['-r'] : ['-r', '-c'])
  } catch (error) {
    if (io.interrupted.aborted) throw error
    throw new Failure('refused', wordsOf(error), { cause: error })
  }
}

/** The real jq, as WebAssembly; loaded only if needed. */
async function evaluate(io: Io, json: string, expression: string, flags: string[]): Promise<string> {
  const { raw } = await import('jq-wasm')
  const { exitCode } = process
  try {
    return await io.blocked(() => raw(json, expression, flags))
  } finally {
    // A failed filter leaves its own exit code on this process.
    process.exitCode = exitCode
  }
}

function wordsOf(error: unknown): string {
  return `--jq: ${error instanceof Error ? error.message : String(error)}`
}
