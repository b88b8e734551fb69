import { existsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { needingRoom } from '../../platform/full-disk.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { embeddedStores } from '../backup/embedded-stores.ts'
import { manifestOf, restore } from '../backup/restore.ts'
import { type EmbeddedStore, Snapshot } from '../backup/snapshot.ts'
import { gibibytes } from '../doctor/machine.ts'
import { refuseNoInstallation } from '../no-installation.ts'
import { type Copy, configured, copyFolder, type From } from './copy.ts'
import { embeddedLook } from './looks/embedded-look.ts'

/** A migration that rewrites a table needs its room once more. */
const ROOM = 2
const LEAST_ROOM_BYTES = 64 * 1024 ** 2

export async function copyFiles(from: From): Promise<Copy> {
  const stores = embeddedStores(from.config)
  const bytes = from.archive === undefined ? await bytesOf(from.config, stores) : await bytesIn(from.archive)
  await refuseTooLittleRoom(tmpdir(), bytes)
  await using made = new AsyncDisposableStack()
  const folder = await copyFolder(from, made)
  await needingRoom(folder, () => fill(from, stores, folder))
  const all = made.move()
  return {
    ...configured(from, folder, { shard: (id) => fileOf(folder, id) }),
    isQuiet: undefined,
    look: async (store) => embeddedLook(fileOf(folder, store)),
    async timed(_store, _tables, change) {
      const began = performance.now()
      await change()
      const ms = Math.ceil(performance.now() - began)
      // A file has one writer.
      return { ms, longest_lock_ms: ms }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function bytesOf(config: Config, stores: readonly EmbeddedStore[]): Promise<number> {
  await refuseNoInstallation(config)
  const files = stores.flatMap(({ path }) => [path, `${path}-wal`]).filter((path) => existsSync(path))
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function bytesIn(archive: string): Promise<number> {
  const { stores } = await manifestOf(archive)
  return stores.reduce((sum, { bytes }) => sum + bytes, 0)
}

async function refuseTooLittleRoom(place: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(place)
  const needed = bytes * ROOM + LEAST_ROOM_BYTES
  if (bavail * bsize < needed)
    throw new OperatorError(
      `the copy needs ${gibibytes(needed)} in ${place}, which has ${gibibytes(bavail * bsize)} free; set TMPDIR to a place with more`,
    )
}

async function fill({ config, archive, ended }: From, stores: readonly EmbeddedStore[], folder: string): Promise<void> {
  const untilEnded = () => ended.throwIfAborted()
  if (archive !== undefined) {
    const shards = config.shards.map((shard) => ({ ...shard, url: fileOf(folder, shard.id) }))
    await restore({ ...config, dataDir: folder, databaseUrl: undefined, shards }, archive, untilEnded)
    return
  }
  using snapshot = new Snapshot(stores)
  for (const { name } of stores) await snapshot.copy(name, fileOf(folder, name), untilEnded)
}

function fileOf(folder: string, store: string): string {
  return join(folder, `${store}.sqlite`)
}
