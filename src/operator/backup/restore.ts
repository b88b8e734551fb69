import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { createGunzip } from 'node:zlib'
import type { Config } from '../../config/config.ts'
import { metaMigrations } from '../../database/migrations/meta.ts'
import { isBeforeBaseline } from '../../database/migrations/migrate.ts'
import { shardMigrations } from '../../database/migrations/shard.ts'
import { giveToOwnerOfFolder } from '../../database/sqlite/owner.ts'
import { metaUrlOf } from '../../database/stores.ts'
import { inTurn, lockDataFolder } from '../../platform/data-folder.ts'
import { needingRoom } from '../../platform/full-disk.ts'
import { readSecrets, secretsFile } from '../../platform/secrets/secrets.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { embeddedStores } from './embedded-stores.ts'
import { fingerprintOf, MANIFEST_NAME, Manifest, recordOf, type StoreRecord } from './manifest.ts'
import type { EmbeddedStore, Progress } from './snapshot.ts'
import { type TarEntry, unpacked } from './tar.ts'

interface Restored {
  readonly manifest: Manifest
  /** The sealed data cannot be read without them. */
  readonly secretsArePresent: boolean
}

/** Restores into an empty place; every file is verified before the first one is put into place. */
export async function restore(config: Config, archive: Archive, progress: Progress): Promise<Restored> {
  const stores = embeddedStores(config)
  const release = await lockDataFolder(config)
  try {
    // A command that prepares the stores does not hold the folder; it waits for its turn.
    return await inTurn(config, () => needingRoom(config.dataDir, () => restoreNow(stores, config, archive, progress)))
  } finally {
    await release()
  }
}

/** Read before anything is written: how much there is to restore. */
export async function manifestOf(archive: string): Promise<Manifest> {
  for await (const entry of entriesOf(archive)) return readManifest(entry)
  throw new OperatorError('the archive is damaged: it is empty')
}

async function restoreNow(stores: readonly EmbeddedStore[], config: Config, archive: Archive, progress: Progress) {
  try {
    refuseFullPlace(stores)
    return await restoreInto(stores, config, archive, progress)
  } finally {
    await Promise.all(stores.map(({ path }) => rm(draftOf(path), { force: true })))
  }
}

/** The global store is put into place last: without it, the others may be from a restore that was killed. */
export function refuseInterruptedRestore(config: Config): void {
  const meta = metaUrlOf(config)
  if (existsSync(draftOf(meta)) && !existsSync(meta))
    throw new OperatorError(
      `a restore into ${config.dataDir} is not finished; empty the folder except for secrets.json, and restore again`,
    )
}

async function restoreInto(stores: readonly EmbeddedStore[], config: Config, archive: Archive, progress: Progress) {
  const pathOf = new Map(stores.map(({ name, path }) => [`${name}.sqlite`, path]))
  let manifest: Manifest | undefined
  for await (const entry of entriesOf(archive)) {
    if (!manifest) {
      manifest = await readManifest(entry)
      refuseOtherStores(manifest, stores)
      refuseOtherVersions(manifest)
      await refuseOtherSecrets(manifest, config)
      continue
    }
    const path = pathOf.get(entry.name)
    if (path === undefined)
      throw new OperatorError(`the archive is damaged: it contains an unexpected file, ${entry.name}`)
    // An archive with more than its manifest announces could fill the disk.
    if (!manifest.stores.some(({ file, bytes }) => file === entry.name && bytes === entry.bytes))
      throw new OperatorError(`the archive is damaged: ${entry.name} does not match the manifest`)
    await writeDraft(path, entry, progress)
  }
  if (!manifest) throw new OperatorError('the archive is damaged: it is empty')
  for (const record of manifest.stores) await verify(record, pathOf.get(record.file) ?? '')
  for (const { path } of stores.toReversed()) {
    giveToOwnerOfFolder(draftOf(path))
    await rename(draftOf(path), path)
  }
  return {
    manifest,
    secretsArePresent: config.configEncryptionKey !== undefined || existsSync(secretsFile(config.dataDir)),
  }
}

/** A file, or what a pipe brings. */
type Archive = string | Readable

function entriesOf(archive: Archive): AsyncIterable<TarEntry> {
  return unpacked(unzipped(typeof archive === 'string' ? createReadStream(archive) : archive))
}

async function* unzipped(archive: Readable): AsyncIterable<Buffer> {
  const unzip = createGunzip()
  archive.on('error', (error) => unzip.destroy(error))
  try {
    yield* archive.pipe(unzip)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
    throw new OperatorError('the archive is damaged', { cause: error })
  } finally {
    archive.destroy()
  }
}

/** Far more than a line for each store; a larger one would be read into memory whole. */
const LONGEST_MANIFEST_BYTES = 1024 * 1024

async function readManifest({ name, bytes, content }: TarEntry): Promise<Manifest> {
  if (name !== MANIFEST_NAME) throw new OperatorError('this is not a backup made by gatehouse')
  if (bytes > LONGEST_MANIFEST_BYTES) throw new OperatorError('the archive is damaged: its manifest is too large')
  const text = (await buffer(Readable.from(content))).toString()
  try {
    return Manifest.parse(JSON.parse(text))
  } catch (error) {
    throw new OperatorError('the archive is damaged, or was made by a newer version', { cause: error })
  }
}

function refuseFullPlace(stores: readonly EmbeddedStore[]): void {
  const present = stores.map(({ path }) => path).find((path) => existsSync(path) || existsSync(`${path}-wal`))
  if (present) throw new OperatorError(`${present} already exists; restore into an empty place, or move it away`)
}

function refuseOtherStores(manifest: Manifest, stores: readonly EmbeddedStore[]): void {
  const archived = manifest.stores.map(({ name }) => name)
  const configured = stores.map(({ name }) => name)
  if (!isDeepStrictEqual(archived.toSorted(), configured.toSorted()))
    throw new OperatorError(
      `the archive has the stores ${archived.join(', ')}, but this installation has ${configured.join(', ')}; set SHARDS to match`,
    )
}

function refuseOtherVersions({ stores }: Manifest): void {
  const known = new Set([...metaMigrations, ...shardMigrations].map(({ name }) => name))
  const applied = stores.flatMap(({ migrations }) => migrations)
  if (applied.some(isBeforeBaseline))
    throw new OperatorError(
      'the archive was made by a version before 0.3.0, which this one cannot upgrade; restore it with that version',
    )
  const unknown = applied.find((name) => !known.has(name))
  if (unknown)
    throw new OperatorError(
      `the archive was made by a newer version (migration ${unknown}); restore it with that version`,
    )
}

async function refuseOtherSecrets(manifest: Manifest, config: Config): Promise<void> {
  if (config.configEncryptionKey === undefined && !existsSync(secretsFile(config.dataDir))) return
  if (fingerprintOf(await readSecrets(config)) !== manifest.encryption_key_fingerprint)
    throw new OperatorError(
      `the archive belongs to another CONFIG_ENCRYPTION_KEY; put its own secrets.json into ${config.dataDir}`,
    )
}

async function writeDraft(path: string, { name, bytes, content }: TarEntry, progress: Progress): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  let written = 0
  const counted = async function* () {
    for await (const part of content) {
      written += part.length
      progress(name, written / bytes)
      yield part
    }
  }
  await pipeline(Readable.from(counted()), createWriteStream(draftOf(path), { mode: 0o600, flush: true }))
}

async function verify(record: StoreRecord, path: string): Promise<void> {
  if (!existsSync(draftOf(path))) throw new OperatorError(`the archive is damaged: ${record.file} is missing`)
  const found = await recordOf(record.name, draftOf(path))
  if (!isDeepStrictEqual(found, record))
    throw new OperatorError(`the archive is damaged: ${record.file} does not match the manifest`)
}

function draftOf(path: string): string {
  return `${path}.restoring`
}
