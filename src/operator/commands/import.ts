import { open, rm, stat, writeFile } from 'node:fs/promises'
import { type Config, configFromEnvironment } from '../../config/config.ts'
import { closeStores, openStores } from '../../database/stores.ts'
import { lockDataFolder } from '../../platform/data-folder.ts'
import type { Platform } from '../../platform/platform.ts'
import { aesSecretBox } from '../../platform/secrets/secret-box.ts'
import { prepareSecrets, readSecrets } from '../../platform/secrets/secrets.ts'
import { migrateStores } from '../../prepare.ts'
import { onOneLine } from '../../rules/one-line.ts'
import { refuseInterruptedRestore } from '../backup/restore.ts'
import type { TransferProgress } from '../transfer/export.ts'
import { checkedExport, importAll } from '../transfer/import.ts'
import { linesIn } from '../transfer/text-file.ts'
import type { Imported, Skipped } from '../transfer/users/at-once.ts'
import { importBetterAuth } from '../transfer/users/better-auth.ts'
import { importFirebase } from '../transfer/users/firebase.ts'
import { importUsersFile } from '../transfer/users/users-file.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { print, say } from './program/output.ts'
import { progressOn } from './progress.ts'
import { withPlatform } from './with-platform.ts'

export async function runImport(argv: readonly string[]): Promise<number> {
  const {
    words: [file = ''],
    flags,
  } = readArguments(argv, ['FILE'], {
    from: { type: 'string' },
    'hash-config': { type: 'string' },
  })
  const hashConfig = flags['hash-config']
  if (flags.from === 'better-auth')
    return runForeign([file], (platform, show) => importBetterAuth(platform, file, show))
  if (flags.from === 'users') return runForeign([file], (platform, show) => importUsersFile(platform, file, show))
  if (flags.from === 'firebase') {
    if (hashConfig === undefined) throw new UsageError('--from firebase needs --hash-config FILE')
    return runForeign([file, hashConfig], (platform, show) => importFirebase(platform, file, hashConfig, show))
  }
  if (flags.from !== undefined) throw new UsageError('--from supports better-auth, firebase and users')
  const config = configFromEnvironment()
  await checkInput(file)
  const release = await lockDataFolder(config)
  try {
    refuseInterruptedRestore(config)
    const rows = await read(config, file)
    print(`${rows} rows were imported`)
  } finally {
    await release()
  }
  return 0
}

async function read(config: Config, file: string): Promise<number> {
  await using handle = await open(file)
  const lines = await checkedExport(linesIn(handle, file), new Set(config.shards.map(({ id }) => id)))
  const secretBox = aesSecretBox((await prepareSecrets(config)).configEncryptionKey)
  const stores = await openStores(config)
  const show = progressOn(process.stderr)
  try {
    await migrateStores(stores, Date.now)
    return await importAll({ ...stores, secretBox, now: Date.now }, lines, (done, total) =>
      show('rows', total === 0 ? 1 : done / total),
    )
  } finally {
    await closeStores(stores)
  }
}

type ImportForeign = (platform: Platform, progress: TransferProgress) => Promise<Imported>

async function runForeign(files: readonly string[], importThem: ImportForeign): Promise<number> {
  const config = configFromEnvironment()
  // First, so that a wrong data folder is not created.
  await readSecrets(config)
  for (const file of files) await checkInput(file)
  const release = await lockDataFolder(config)
  try {
    let leftOut: readonly Skipped[] = []
    await withPlatform(async (platform) => {
      leftOut = await addUsers(platform, importThem)
    })
    await writeLeftOut(files[0] ?? '', leftOut)
    return leftOut.length === 0 ? 0 : 1
  } finally {
    await release()
  }
}

async function addUsers(platform: Platform, importThem: ImportForeign): Promise<readonly Skipped[]> {
  const show = progressOn(process.stderr)
  const { imported, skipped } = await importThem(platform, (done, total) =>
    show('users', total === 0 ? 1 : done / total),
  )
  for (const { who, why } of skipped) say(`left out: ${onOneLine(`${who}, ${why}`)}`)
  print(`${imported} users were imported, ${skipped.length} left out`)
  return skipped
}

/**
 * A file for a program that mends the users and imports them again; only the operator can read it, as it names people.
 */
async function writeLeftOut(file: string, leftOut: readonly Skipped[]): Promise<void> {
  const isFile = (await stat(file)).isFile()
  const path = `${isFile ? file : 'import'}.left-out.jsonl`
  await rm(path, { force: true })
  if (leftOut.length === 0) return
  const lines = leftOut.map(({ place, why: reason }) => `${JSON.stringify({ ...place, reason })}\n`)
  await writeFile(path, lines.join(''), { mode: 0o600 })
  say(`who was left out, and why: ${path}`)
}
