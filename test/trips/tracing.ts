import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** What one act costs. */
export interface Cost {
  readonly act: string
  /** A statement, a batch or a decision is one; the further reads of a decision are not counted. */
  readonly trips: number
  /** The beginning of each statement that was sent more than once. */
  readonly repeated: readonly string[]
  /** Source files in which it runs a function. */
  readonly files: number
  /** How many of these files are below `src/features`. */
  readonly features: number
}

const PROGRAM = fileURLToPath(new URL('./trace.ts', import.meta.url))

/**
 * Runs in a process of its own, since coverage counts whatever else runs beside an act, and on the engine of the run.
 */
export async function trace(databaseUrl = process.env.TEST_DATABASE_URL): Promise<readonly Cost[]> {
  const env = { ...process.env, ...(databaseUrl === undefined ? {} : { TEST_DATABASE_URL: databaseUrl }) }
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env })
  return JSON.parse(stdout)
}
