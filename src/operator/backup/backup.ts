import { constants, createReadStream, createWriteStream, existsSync } from 'node:fs'
import { access, link, mkdtemp, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable, type Writable } from 'node:stream'
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
import { packed, type TarEntry } from './tar.ts'

/** Writes all stores at one moment into one archive, even while the service runs. It contains no secrets. */
export async function backUp(config: Config, file: string, now: number, progress: Progress): Promise<Manifest> {
  const stores = embeddedStores(config)
  const target = resolve(file)
  if (existsSync(target)) throw alreadyThere(target)
  await refuseBesideData(config, target)
  const fingerprint = await ready(stores, config)
  return inWorkFolder(dirname(target), async (folder) => {
    const manifest = await copyAll(stores, folder, { now, fingerprint, progress })
    const archive = join(folder, ARCHIVE)
    await pipeline(
      packedFrom(manifest, folder),
      createGzip(),
      createWriteStream(archive, { flags: 'wx', mode: 0o600, flush: true }),
    )
    await putInPlace(archive, target)
    return manifest
  })
}

/** The same archive into a pipe. The stores are copied beside themselves first: its manifest comes before its files. */
export async function backUpTo(config: Config, output: Writable, now: number, progress: Progress): Promise<Manifest> {
  const stores = embeddedStores(config)
  const fingerprint = await ready(stores, config)
  return inWorkFolder(config.dataDir, async (folder) => {
    const manifest = await copyAll(stores, folder, { now, fingerprint, progress })
    await pipeline(packedFrom(manifest, folder), createGzip(), output, { end: false }).catch((cause: unknown) => {
      throw new OperatorError('standard output did not take the whole archive', { cause })
    })
    return manifest
  })
}

/** It would be lost with the data, and be in the way of a restore. */
async function refuseBesideData({ dataDir }: Config, target: string): Promise<void> {
  const [data, folder] = await Promise.all([dataDir, dirname(target)].map((path) => realpath(path).catch(() => path)))
  if (`${folder}/`.startsWith(`${data}/`))
    throw new OperatorError(`${target} is in DATA_DIR and would be lost with it; choose a file in another place`)
}

/** Returns the fingerprint of the secrets. */
async function ready(stores: readonly EmbeddedStore[], config: Config): Promise<string> {
  for (const { path } of stores)
    if (await isMissing(path)) throw new OperatorError(`${path} does not exist; there is nothing to back up yet`)
  const fingerprint = fingerprintOf(await readSecrets(config))
  for (const folder of new Set(stores.map(({ path }) => dirname(path)))) await refuseUnwritable(folder)
  return fingerprint
}

/** SQLite makes files beside a store while opening it. */
async function refuseUnwritable(folder: string): Promise<void> {
  await access(folder, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    throw new OperatorError(wordsForUnusable(folder, cause), { cause })
  })
}

function inWorkFolder<T>(place: string, work: (folder: string) => Promise<T>): Promise<T> {
  return needingRoom(place, async () => {
    const folder = await firstIn(place, () => mkdtemp(join(place, WORK_FOLDER)))
    try {
      return await work(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

const WORK_FOLDER = '.gatehouse-backup-'
const ARCHIVE = 'archive'

/** Leftovers of backups that were killed. A running backup has such a folder too. */
export async function leftIn(folder: string): Promise<readonly string[]> {
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

interface Noted {
  readonly now: number
  readonly fingerprint: string
  readonly progress: Progress
}

async function copyAll(stores: readonly EmbeddedStore[], folder: string, noted: Noted): Promise<Manifest> {
  using snapshot = new Snapshot(stores)
  const records = []
  for (const { name } of stores) {
    const copy = join(folder, `${name}.sqlite`)
    await snapshot.copy(name, copy, noted.progress)
    records.push(await recordOf(name, copy))
  }
  return {
    format: 'gatehouse-backup-1',
    created_at: noted.now,
    encryption_key_fingerprint: noted.fingerprint,
    stores: records,
  }
}

function packedFrom(manifest: Manifest, folder: string): Readable {
  return Readable.from(packed(entriesOf(manifest, folder), manifest.created_at))
}

async function* entriesOf(manifest: Manifest, folder: string): AsyncIterable<TarEntry> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield { name: MANIFEST_NAME, bytes: text.length, content: Readable.from([text]) }
  for (const { file, bytes } of manifest.stores)
    yield { name: file, bytes, content: createReadStream(join(folder, file)) }
}
