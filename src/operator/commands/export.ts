import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { type Config, configFromEnvironment } from '../../config/config.ts'
import { closeStores, openStores } from '../../database/stores.ts'
import { lockDataFolder } from '../../platform/data-folder.ts'
import { needingRoom } from '../../platform/full-disk.ts'
import { aesSecretBox } from '../../platform/secrets/secret-box.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { migrateStores } from '../../prepare.ts'
import { escaped } from '../../rules/one-line.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { refuseInterruptedRestore } from '../backup/restore.ts'
import { refuseNoInstallation } from '../no-installation.ts'
import { firstIn } from '../output-folder.ts'
import { exportAll } from '../transfer/export.ts'
import { refuseUnfinishedImport } from '../transfer/under-way.ts'
import { readArguments } from './program/arguments.ts'
import { say } from './program/output.ts'
import { progressOn } from './progress.ts'

export async function runExport(argv: readonly string[]): Promise<number> {
  const {
    words: [file = ''],
    flags,
  } = readArguments(argv, ['FILE'], { 'with-secrets': { type: 'boolean' } })
  const config = configFromEnvironment()
  const secrets = flags['with-secrets'] ? 'with secrets' : 'without secrets'
  const isWhole =
    file === '-'
      ? await exportTo(toStandardOutput, config, secrets)
      : await intoNewFile(file, (output) => exportTo(output, config, secrets))
  if (!isWhole) return 1
  say('The file contains password hashes: keep it as safe as a backup, and delete it soon.')
  return 0
}

/** Returns whether everything was written. */
type Output = (texts: Readable) => Promise<boolean>

/** Creates the file first, so that a wrong path fails before the export starts; an incomplete file is removed. */
async function intoNewFile(file: string, work: (output: Output) => Promise<boolean>): Promise<boolean> {
  await using handle = await openNew(file)
  try {
    return await work(async (texts) => {
      const writing = () => pipeline(texts, handle.createWriteStream({ flush: true }))
      await needingRoom(dirname(resolve(file)), writing)
      return true
    })
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

function openNew(file: string): Promise<FileHandle> {
  return firstIn(dirname(resolve(file)), () => open(file, 'wx', 0o600)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new OperatorError(`${file} already exists; choose another file`)
  })
}

async function exportTo(output: Output, config: Config, secrets: 'with secrets' | 'without secrets') {
  const release = await lockDataFolder(config)
  try {
    refuseInterruptedRestore(config)
    return await write(output, config, secrets)
  } finally {
    await release()
  }
}

async function write(output: Output, config: Config, secrets: 'with secrets' | 'without secrets') {
  const secretBox = aesSecretBox((await readSecrets(config)).configEncryptionKey)
  await refuseNoInstallation(config)
  const stores = await openStores(config)
  const show = progressOn(process.stderr)
  try {
    // The data may be a restored backup of an older release.
    await migrateStores(stores, Date.now)
    await refuseUnfinishedImport(stores.meta)
    const lines = exportAll({ ...stores, secretBox, now: Date.now }, secrets, (done, total) =>
      show('rows', total === 0 ? 1 : done / total),
    )
    return await output(Readable.from(serialized(lines)))
  } finally {
    await closeStores(stores)
  }
}

async function* serialized(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${escaped(JSON.stringify(line))}\n`
}

/** False if not everything could be written; the program says why, unless the reader has left. */
async function toStandardOutput(texts: AsyncIterable<string>): Promise<boolean> {
  let isLost = false
  process.stdout.once('error', () => {
    isLost = true
  })
  for await (const text of texts) {
    const written = new Promise((resolve) => process.stdout.write(text, resolve))
    if (process.stdout.writableNeedDrain) await written
    if (isLost) return false
  }
  await turnOfEvents()
  return !isLost
}
