import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { giveToOwnerOfFolder } from '../../database/sqlite/owner.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { systemCodeOf } from '../usable-folder.ts'

export interface Secrets {
  readonly authSecret: string
  /** 32 bytes in hexadecimal digits. */
  readonly configEncryptionKey: string
}

type Place = Pick<Config, 'dataDir' | 'authSecret' | 'configEncryptionKey'>

/** Runs at preparation: reads them, or creates them once, even if two processes prepare at the same time. */
export async function prepareSecrets(config: Place): Promise<Secrets> {
  if (!isComplete(config) && !existsSync(secretsFile(config.dataDir))) await makeOnce(config.dataDir)
  return readSecrets(config)
}

/** Reads the environment, otherwise the data folder. */
export async function readSecrets(config: Place): Promise<Secrets> {
  if (isComplete(config)) return config
  const kept = await readKept(secretsFile(config.dataDir))
  return {
    authSecret: config.authSecret ?? kept.authSecret,
    configEncryptionKey: config.configEncryptionKey ?? kept.configEncryptionKey,
  }
}

export function secretsFile(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

function isComplete(config: Place): config is Place & Secrets {
  return config.authSecret !== undefined && config.configEncryptionKey !== undefined
}

const Kept = z.object({ authSecret: z.string().min(32), configEncryptionKey: z.hex().length(64) })

async function readKept(file: string): Promise<Secrets> {
  await tighten(file)
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const words = 'cannot be read; it must belong to the user who runs the service: change its owner'
    throw new OperatorError(`${file} ${words}`, { cause })
  })
  try {
    return Kept.parse(JSON.parse(text))
  } catch (error) {
    throw new OperatorError(`${file} is damaged; restore it from a backup`, { cause: error })
  }
}

async function tighten(file: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    const words =
      systemCodeOf(error) === 'EACCES'
        ? ' by this user; run this as the owner of its folder'
        : '; check DATA_DIR, or run `gatehouse prepare` first'
    throw new OperatorError(`${file} cannot be read${words}`, { cause: error })
  })
  if (!found.isFile()) throw new OperatorError(`${file} is not a file; restore it from a backup`)
  if (process.platform === 'win32' || (found.mode & 0o077) === 0) return
  await chmod(file, 0o600).catch((error: unknown) => {
    throw new OperatorError(`${file} is readable by others; run chmod 600 on it`, { cause: error })
  })
}

/**
 * Writes the file in full under another name, then links it, so that the first one is kept and no process reads half of
 * it.
 */
async function makeOnce(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = join(dataDir, `secrets-${randomBytes(8).toString('hex')}.tmp`)
  const made: Secrets = {
    authSecret: randomBytes(32).toString('base64url'),
    configEncryptionKey: randomBytes(32).toString('hex'),
  }
  try {
    await writeDurably(draft, `${JSON.stringify(made, null, 2)}\n`)
    giveToOwnerOfFolder(draft)
    await link(draft, secretsFile(dataDir)).catch(unlessItExists)
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(text)
  await handle.sync()
}

function unlessItExists(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
}
