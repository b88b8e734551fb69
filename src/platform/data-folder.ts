import { constants } from 'node:fs'
import { access, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPostgres } from '../config/shards.ts'
import type { Config } from '../config.ts'

/** A line for the operator, not a bug. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable'
}

type Folder = Pick<Config, 'dataDir' | 'databaseUrl' | 'shards'>

/**
 * An embedded store has one writing process. The holder's process id lies in the folder; a holder
 * that died without saying so is noticed. Answers how to let go.
 */
export async function holdDataFolder(config: Folder): Promise<() => Promise<void>> {
  await makeWritable(config.dataDir)
  if (!hasEmbeddedStore(config)) return async () => undefined
  const file = join(config.dataDir, 'serve.pid')
  const claim = `${file}.${process.pid}`
  await writeFile(claim, String(process.pid))
  try {
    await claimFile(claim, file, config.dataDir)
  } finally {
    await rm(claim, { force: true })
  }
  return () => rm(file, { force: true })
}

async function claimFile(claim: string, file: string, dataDir: string): Promise<void> {
  if (await isLinked(claim, file)) return
  const holder = await findHolder(file)
  if (holder !== undefined) {
    throw new DataFolderUnusable(
      `${dataDir} is in use by process ${holder}; stop it first, or set another DATA_DIR`,
    )
  }
  await rm(file, { force: true })
  if (!(await isLinked(claim, file)))
    throw new DataFolderUnusable(`${dataDir} was taken by another process just now`)
}

/** A hard link appears whole or not at all. */
async function isLinked(claim: string, file: string): Promise<boolean> {
  try {
    await link(claim, file)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** The process that holds the folder, if it is alive and not this one. */
async function findHolder(file: string): Promise<number | undefined> {
  const holder = Number(await readFile(file, 'utf8').catch(() => ''))
  if (!Number.isInteger(holder) || holder <= 0 || holder === process.pid) return undefined
  try {
    process.kill(holder, 0)
    return holder
  } catch (error) {
    return hasCode(error, 'EPERM') ? holder : undefined
  }
}

async function makeWritable(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new DataFolderUnusable(
      `the data folder ${dataDir} cannot be written; change its owner or set DATA_DIR`,
      {
        cause: error,
      },
    )
  }
}

function hasEmbeddedStore({ databaseUrl, shards }: Folder): boolean {
  return databaseUrl === undefined || shards.some(({ url }) => !isPostgres(url))
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
