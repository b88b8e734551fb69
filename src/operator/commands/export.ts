import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { type Config, configFromEnvironment } from '../../config/config.ts'
import { closeStores, openStores } from '../../database/stores.ts'
import { holdDataFolder } from '../../platform/data-folder.ts'
import { aesSecretBox } from '../../platform/secrets/secret-box.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { migrateStores } from '../../prepare.ts'
import { refuseInterruptedRestore } from '../backup/restore.ts'
import { exportAll } from '../transfer/export.ts'
import { refuseUnfinishedImport } from '../transfer/under-way.ts'
import { readArguments } from './program/arguments.ts'
import { progressOn } from './progress.ts'

export async function runExport(argv: readonly string[]): Promise<number> {
  const { words, flags } = readArguments(argv, ['FILE'], { 'with-secrets': { type: 'boolean' } })
  const [file = ''] = words
  const config = configFromEnvironment()
  const release = await holdDataFolder(config)
  try {
    refuseInterruptedRestore(config)
    const isWhole = await write(config, file, flags['with-secrets'] ? 'with secrets' : 'without secrets')
    if (!isWhole) return 1
  } finally {
    await release()
  }
  process.stderr.write(
    'The file contains password hashes: keep it as safe as a backup, and delete it soon.\n',
  )
  return 0
}

async function write(config: Config, file: string, secrets: 'with secrets' | 'without secrets') {
  const secretBox = aesSecretBox((await readSecrets(config)).configEncryptionKey)
  const stores = await openStores(config)
  const show = progressOn(process.stderr)
  try {
    // The data may be a restored backup of an older release.
    await migrateStores(stores, Date.now)
    await refuseUnfinishedImport(stores.meta)
    const lines = exportAll({ ...stores, secretBox, now: Date.now }, secrets, (done, total) =>
      show('rows', total === 0 ? 1 : done / total),
    )
    const texts = Readable.from(serialized(lines))
    if (file === '-') return await toStandardOutput(texts)
    await pipeline(texts, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }))
    return true
  } finally {
    await closeStores(stores)
  }
}

async function* serialized(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
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
