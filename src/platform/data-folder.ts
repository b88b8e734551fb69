import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { isPostgres } from '../config/shards.ts'
import { openedForOwner } from '../database/sqlite/owner.ts'
import { OperatorError } from '../rules/operator-error.ts'
import { closeFolder, isOpenWithOtherFiles } from './close-folder.ts'
import { checkUsable, wordsForUnusable } from './usable-folder.ts'

type Folder = Pick<Config, 'dataDir' | 'databaseUrl' | 'shards'>

/**
 * Locks the folder, because an embedded store has one writing process. Returns a function that releases the lock; the
 * system releases it if the process dies.
 */
export async function lockDataFolder(config: Folder): Promise<() => Promise<void>> {
  await makeWritable(config.dataDir)
  if (!hasEmbeddedStore(config)) return async () => undefined
  const release = await tryToLockDataFolder(config)
  if (!release) throw new OperatorError(await inUse(config.dataDir, holderFileIn(config.dataDir)))
  return release
}

/** Undefined if another process holds it. */
export async function tryToLockDataFolder({
  dataDir,
}: Pick<Folder, 'dataDir'>): Promise<(() => Promise<void>) | undefined> {
  await makeWritable(dataDir)
  const lock = takeLock(join(dataDir, 'serve.lock'))
  if (!lock) return undefined
  const holderFile = holderFileIn(dataDir)
  await writeFile(holderFile, String(process.pid))
  return async () => {
    await rm(holderFile, { force: true })
    lock.close()
  }
}

function holderFileIn(dataDir: string): string {
  return join(dataDir, 'serve.pid')
}

const TURN_MILLISECONDS = 30_000
const ASK_AGAIN_MILLISECONDS = 25

/** Processes that prepare one folder at the same time do so one after the other. */
export async function inTurn<T>(config: Folder, work: () => Promise<T>): Promise<T> {
  await makeWritable(config.dataDir)
  const lock = await takeTurn(join(config.dataDir, 'prepare.lock'))
  try {
    return await work()
  } finally {
    lock.close()
  }
}

async function takeTurn(file: string): Promise<DatabaseSync> {
  const deadline = performance.now() + TURN_MILLISECONDS
  for (;;) {
    const lock = takeLock(file)
    if (lock) return lock
    if (performance.now() > deadline) {
      throw new OperatorError(
        `another process is preparing or restoring ${dirname(file)}; run this again when it has finished`,
      )
    }
    await wait(ASK_AGAIN_MILLISECONDS)
  }
}

/**
 * SQLite's lock on an empty file: unlike a process id it outlives no crash and means the same in every
 * container.
 */
function takeLock(file: string): DatabaseSync | undefined {
  const lock = openLock(file)
  try {
    lock.exec('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (codeOf(error) === SQLITE_BUSY) return undefined
    throw unlockable(file, error)
  }
}

function openLock(file: string): DatabaseSync {
  try {
    return openedForOwner(file, () => new DatabaseSync(file, { timeout: 0 }))
  } catch (error) {
    throw unlockable(file, error)
  }
}

const [SQLITE_BUSY, SQLITE_READONLY, SQLITE_CANTOPEN] = [5, 8, 14] as const

function unlockable(file: string, cause: unknown): OperatorError {
  const code = codeOf(cause)
  const words =
    code === SQLITE_READONLY || code === SQLITE_CANTOPEN
      ? 'cannot be written; it must belong to the user who runs the service: change its owner'
      : 'cannot be locked'
  return new OperatorError(`${file} ${words}`, { cause })
}

/** Ignores the details that SQLite puts into the higher bits. */
function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}

async function inUse(dataDir: string, holderFile: string): Promise<string> {
  // The holder may have the lock but not have written its process id yet.
  const holder = await readFile(holderFile, 'utf8').catch(() => '')
  const who = /^\d+$/.test(holder) ? `process ${holder}` : 'another process'
  return `${dataDir} is in use by ${who}; stop it first, or set another DATA_DIR`
}

async function makeWritable(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    await checkUsable(dataDir)
  } catch (cause) {
    throw new OperatorError(`the data folder ${wordsForUnusable(dataDir, cause)}`, { cause })
  }
  await closeToOthers(dataDir)
}

async function closeToOthers(dataDir: string): Promise<void> {
  try {
    if (!(await isOpenWithOtherFiles(dataDir))) return await closeFolder(dataDir)
  } catch (error) {
    const { path = dataDir } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `${path === dataDir ? `the data folder ${dataDir}` : path} is open to other users and belongs to one of them; change its owner or set DATA_DIR`,
      { cause: error },
    )
  }
  throw new OperatorError(
    `the data folder ${dataDir} is open to other users and has other files; set DATA_DIR to a folder for this alone`,
  )
}

/**
 * One level at a time: Node's recursive option never returns if the system refuses folders, such as below
 * /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  )
  if (isThere) return
  await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process has just made it.
    if (error.code !== 'EEXIST') throw error
  })
}

export function hasEmbeddedStore({ databaseUrl, shards }: Folder): boolean {
  return databaseUrl === undefined || shards.some(({ url }) => !isPostgres(url))
}
