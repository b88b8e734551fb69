import { Failure, usage } from '../../terminal/failure.ts'

/** Refuses an expression that does not compile before anything is sent, so that no write is done without its output. */
export async function checkJq(expression: string): Promise<void> {
  const trouble = await evaluate('null', expression, []).then(
    () => '',
    (error: unknown) => wordsOf(error),
  )
  if (/compile error|syntax error/.test(trouble)) throw usage(trouble.split('\n')[0] ?? trouble)
}

/** Text comes out without quotes, as gh's users expect; the rest is compact in a pipe, pretty on a terminal. */
export async function runJq(expression: string, json: string, isPretty: boolean): Promise<string> {
  try {
    return await evaluate(json, expression, isPretty ? ['-r'] : ['-r', '-c'])
  } catch (error) {
    throw new Failure('refused', wordsOf(error), { cause: error })
  }
}

/** The real jq, as WebAssembly; loaded only if needed. */
async function evaluate(json: string, expression: string, flags: string[]): Promise<string> {
  const { raw } = await import('jq-wasm')
  const { exitCode } = process
  try {
    return await raw(json, expression, flags)
  } finally {
    // A failed filter leaves its own exit code on this process.
    process.exitCode = exitCode
  }
}

function wordsOf(error: unknown): string {
  return `--jq: ${error instanceof Error ? error.message : String(error)}`
}
