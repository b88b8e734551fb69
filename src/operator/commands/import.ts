import { open } from 'node:fs/promises'
import { type Config, configFromEnvironment } from '../../config/config.ts'
import { closeStores, openStores } from '../../database/stores.ts'
import { lockDataFolder } from '../../platform/data-folder.ts'
import { aesSecretBox } from '../../platform/secrets/secret-box.ts'
import { prepareSecrets } from '../../platform/secrets/secrets.ts'
import { migrateStores } from '../../prepare.ts'
import { refuseInterruptedRestore } from '../backup/restore.ts'
import { checkedExport, importAll } from '../transfer/import.ts'
import { linesIn } from '../transfer/text-file.ts'
import { importUsersFrom } from './import-users.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { print } from './program/output.ts'
import { progressOn } from './progress.ts'

export async function runImport(argv: readonly string[]): Promise<number> {
  const {
    words: [file = ''],
    flags,
  } = readArguments(argv, ['FILE'], {
    from: { type: 'string' },
    'hash-config': { type: 'string' },
    'dry-run': { type: 'boolean' },
    'ignore-unknown': { type: 'boolean' },
    json: { type: 'boolean' },
  })
  if (flags.from !== undefined) return importUsersFrom(flags.from, file, flags)
  if (flags['dry-run'] || flags['ignore-unknown'] || flags.json)
    throw new UsageError('--dry-run, --ignore-unknown and --json are for --from')
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
