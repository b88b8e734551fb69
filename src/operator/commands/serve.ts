import { existsSync } from 'node:fs'
import { pagesFolder } from '../../app.ts'
import { type Config, configFromEnvironment, sizeThreadPool } from '../../config/config.ts'
import { hashesAtOnce } from '../../platform/passwords/passwords.ts'
import { serve } from '../../serve.ts'
import { printCredentials } from './prepare.ts'

// Hashing shares Node's pool with them; on many cores it would take all of its four threads.
const THREADS_FOR_FILES_AND_NAMES = 4

export async function runServe(): Promise<number> {
  const config = configFromEnvironment()
  sizeThreadPool(hashesAtOnce() + THREADS_FOR_FILES_AND_NAMES)
  let isFirst = false
  const serving = await serve(config, (credentials) => {
    if (credentials) printCredentials(credentials)
    isFirst = credentials !== undefined
  })
  process.stderr.write(welcome(config, isFirst))
  await stopSignal()
  await serving.stop()
  return 0
}

function welcome(config: Config, isFirst: boolean): string {
  const address = config.baseUrl
  const next = isFirst
    ? 'Sign in with the address and password above; the password is not shown again.'
    : 'Stop it with Ctrl-C.'
  return `
  ${config.appName} is ready.

    Pages   ${existsSync(pagesFolder) ? address : 'not built: run `npm run build`, then start again'}
    Data    ${config.databaseUrl === undefined ? config.dataDir : `PostgreSQL, and ${config.dataDir}`}
    Health  ${address}/readyz

  ${next}

`
}

/** The second signal does not wait. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve()
      })
    }
  })
}
