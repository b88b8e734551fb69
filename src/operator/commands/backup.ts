import { configFromEnvironment } from '../../config/config.ts'
import { backUp, leftBeside } from '../backup/backup.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { print, printJson, say } from './program/output.ts'
import { progressOn } from './progress.ts'

export async function runBackup(argv: readonly string[]): Promise<number> {
  const {
    words: [file = ''],
    flags,
  } = readArguments(argv, ['FILE'], { json: { type: 'boolean' } })
  if (file === '-') throw new UsageError('FILE cannot be standard output; name a file')
  const config = configFromEnvironment()

  for (const folder of await leftBeside(file))
    say(`A backup that was killed has left ${folder}: delete it, unless another one is running.`)
  const manifest = await backUp(config, file, Date.now(), progressOn(process.stderr))

  if (flags.json) {
    printJson(manifest)
    return 0
  }
  const rows = manifest.stores.flatMap(({ tables }) => Object.values(tables)).reduce((sum, each) => sum + each, 0)
  print(`${file}: ${manifest.stores.length} stores, ${rows} rows`)
  say(`The secrets are not in it: keep a copy of secrets.json (${config.dataDir}) in another place.`)
  return 0
}
