import { configFromEnvironment } from '../../config/config.ts'
import { restore } from '../backup/restore.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { print, printJson, say } from './program/output.ts'
import { progressOn } from './progress.ts'

export async function runRestore(argv: readonly string[]): Promise<number> {
  const {
    words: [file = ''],
    flags,
  } = readArguments(argv, ['FILE'], { json: { type: 'boolean' } })
  const config = configFromEnvironment()
  if (file !== '-') await checkInput(file)
  else if (process.stdin.isTTY) throw new UsageError('the archive would come from a terminal; name a file')

  const { manifest, secretsArePresent } = await restore(
    config,
    file === '-' ? process.stdin : file,
    progressOn(process.stderr),
  )

  const at = new Date(manifest.created_at).toISOString()
  if (flags.json) printJson(manifest)
  else print(`${config.dataDir}: ${manifest.stores.length} stores as they were at ${at}, verified`)
  if (!secretsArePresent)
    say(`Before the first start, put the secrets.json that belongs to this data into ${config.dataDir}.`)
  return 0
}
