import { constants, createReadStream, createWriteStream, existsSync } from 'node:fs'
import { access, link, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Config } from '../../config/config.ts'
import { needingRoom } from '../../platform/full-disk.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { isMissing, wordsForUnusable } from '../../platform/usable-folder.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { firstIn } from '../output-folder.ts'
import { embeddedStores } from './embedded-stores.ts'
import { fingerprintOf, MANIFEST_NAME, type Manifest, recordOf } from './manifest.ts'
import { type EmbeddedStore, type Progress, Snapshot } from './snapshot.ts'
import { type Entry, packed } from './tar.ts'

/** All stores at one moment in one archive, even while the service runs. It contains no secrets. */
export async function backUp(config: Config, file: string, now: number, progress: Progress): Promise<Manifest> {
  const stores = embeddedStores(config)
  const target = resolve(file)
  if (existsSync(target)) throw alreadyThere(target)
  for (const { path } of stores)
    if (await isMissing(path)) throw new OperatorError(`${path} does not exist; there is nothing to back up yet`)
  const fingerprint = fingerprintOf(await readSecrets(config))
  for (const folder of new Set(stores.map(({ path }) => dirname(path)))) await refuseUnwritable(folder)
  return needingRoom(dirname(target), () => write(stores, target, fingerprint, now, progress))
}

/** SQLite makes files beside a store while opening it. */
async function refuseUnwritable(folder: string): Promise<void> {
  await access(folder, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    throw new OperatorError(wordsForUnusable(folder, cause), { cause })
  })
}

async function write(
  stores: readonly EmbeddedStore[],
  target: string,
  fingerprint: string,
  now: number,
  progress: Progress,
): Promise<Manifest> {
  const place = dirname(target)
  const folder = await firstIn(place, () => mkdtemp(join(place, WORK_FOLDER)))
  try {
    const records = await copyAll(stores, folder, progress)
    const manifest: Manifest = {
      format: 'gatehouse-backup-1',
      created_at: now,
      encryption_key_fingerprint: fingerprint,
      stores: records,
    }
    await writeArchive(manifest, folder)
    await putInPlace(join(folder, ARCHIVE), target)
    return manifest
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const WORK_FOLDER = '.gatehouse-backup-'
const ARCHIVE = 'archive'

/** Leftovers beside FILE of backups that were killed. A running backup has such a folder too. */
export async function leftBeside(file: string): Promise<readonly string[]> {
  const folder = dirname(resolve(file))
  // A folder that cannot be listed can still take a backup.
  const entries = await readdir(folder).catch(() => [])
  return entries.filter((name) => name.startsWith(WORK_FOLDER)).map((name) => join(folder, name))
}

/** Unlike a rename, a link never replaces what another backup has put there meanwhile. */
async function putInPlace(archive: string, target: string): Promise<void> {
  try {
    await link(archive, target)
  } catch (error) {
    if (isThere(error)) throw alreadyThere(target)
    // Some file systems have no links.
    await renameToFree(archive, target)
  }
}

/** An empty file takes the name first, so the rename replaces nothing else. */
export async function renameToFree(archive: string, target: string): Promise<void> {
  await writeFile(target, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw isThere(error) ? alreadyThere(target) : error
  })
  await rename(archive, target)
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

function alreadyThere(target: string): OperatorError {
  return new OperatorError(`${target} already exists; choose another file`)
}

async function copyAll(stores: readonly EmbeddedStore[], folder: string, progress: Progress) {
  using snapshot = new Snapshot(stores)
  const records = []
  for (const { name } of stores) {
    const copy = join(folder, `${name}.sqlite`)
    await snapshot.copy(name, copy, progress)
    records.push(await recordOf(name, copy))
  }
  return records
}

async function writeArchive(manifest: Manifest, folder: string): Promise<void> {
  const output = createWriteStream(join(folder, ARCHIVE), { flags: 'wx', mode: 0o600, flush: true })
  await pipeline(Readable.from(packed(entriesOf(manifest, folder), manifest.created_at)), createGzip(), output)
}

async function* entriesOf(manifest: Manifest, folder: string): AsyncIterable<Entry> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield { name: MANIFEST_NAME, bytes: text.length, content: Readable.from([text]) }
  for (const { file, bytes } of manifest.stores)
    yield { name: file, bytes, content: createReadStream(join(folder, file)) }
}
