import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pagesFolder } from '../../app.ts'
import { type Config, configFromEnvironment, sizeThreadPool } from '../../config/config.ts'
import { listValues } from '../../config/listing.ts'
import { ownFilesIn } from '../../config/own-files.ts'
import { openLog } from '../../platform/log/log.ts'
import { hashesAtOnce } from '../../platform/passwords/passwords.ts'
import { version } from '../../rules/version.ts'
import { serve } from '../../serve.ts'
import { printCredentialsIfPossible } from './prepare.ts'
import { readArguments } from './program/arguments.ts'
import { say } from './program/output.ts'

// Hashing shares Node's thread pool with them; on many cores it would take all four threads.
const THREADS_FOR_FILES_AND_NAMES = 4
const QUIET_MILLISECONDS = 1_000
const LOOKS_AT_MOST = 60
/** The share of its time for which the event loop is busy, below which it is quiet. */
const QUIET = 0.1

export async function runServe(argv: readonly string[]): Promise<number> {
  readArguments(argv, [], {})
  const config = configFromEnvironment()
  sizeThreadPool(hashesAtOnce() + THREADS_FOR_FILES_AND_NAMES)
  keepRequestsYoung()
  const log = await openLog(config)
  log.info({ version, address: config.baseUrl, stores: storesIn(config) }, 'Gatehouse starts')
  // A signal during the start takes effect once the start is complete.
  const stopped = stopSignal()
  let isFirst = false
  const serving = await serve(config, (credentials) => {
    if (credentials) printCredentialsIfPossible(credentials)
    isFirst = credentials !== undefined
  })
  if (config.logFormat === 'pretty') say(welcome(config, isFirst))
  else log.info({ version, listening: serving.address, pages: pagesAt(config) }, 'Gatehouse is ready')
  returnMemoryOnceQuiet()
  const signal = await stopped
  log.info({ signal }, 'Gatehouse stops')
  await serving.stop()
  log.info({}, 'Gatehouse has stopped')
  // Nobody is left to receive what still waits for another server.
  process.exit(0)
}

/**
 * A request that waits for a hash or a store outlives a collection. V8 would then allocate such objects in its old
 * generation for good, and every collection would keep the whole requests that they belong to.
 */
function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/**
 * V8 keeps the memory that the start used, a tenth of an idle process's, until much more is allocated. A process that is
 * busy from the start needs it, and later a collection of everything would take too long.
 */
function returnMemoryOnceQuiet(looks = LOOKS_AT_MOST): void {
  const before = performance.eventLoopUtilization()
  const look = () => {
    if (performance.eventLoopUtilization(before).utilization < QUIET) returnMemory()
    else if (looks > 1) returnMemoryOnceQuiet(looks - 1)
  }
  setTimeout(look, QUIET_MILLISECONDS).unref()
}

function returnMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

const STORES: ReadonlySet<string> = new Set(['DATA_DIR', 'DATABASE_URL', 'SHARDS', 'KV_URL'])

/** The values as `doctor` shows them, without passwords. */
function storesIn(config: Config) {
  const shown = listValues(config, {}).filter(({ name }) => STORES.has(name))
  return Object.fromEntries(shown.map(({ name, value }) => [name.toLowerCase(), value]))
}

function pagesAt({ baseUrl }: Config): string {
  return ownFilesIn(pagesFolder).length === 0 ? 'not built: run `npm run build`, then start again' : baseUrl
}

function welcome(config: Config, isFirst: boolean): string {
  const address = config.baseUrl
  const next = isFirst
    ? 'Sign in with the address and password above; the password is not shown again.'
    : 'Stop it with Ctrl-C.'
  return `
  ${config.appName} is ready.

    Pages   ${pagesAt(config)}
    Data    ${config.databaseUrl === undefined ? config.dataDir : `PostgreSQL, and ${config.dataDir}`}
    Health  ${address}/readyz

  ${next}
`
}

/** SIGHUP comes from a terminal that is closed. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** A third signal ends the process at once; the second can be the first, passed on by npm. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) {
      let received = 0
      process.on(signal, () => {
        received++
        if (received > 2) process.exit(1)
        resolve(signal)
      })
    }
  })
}
