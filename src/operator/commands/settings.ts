import { readFile } from 'node:fs/promises'
import { environment } from '../../config/config.ts'
import {
  applySettings,
  type Difference,
  parseSettingsFile,
  planSettings,
  settingsAsFile,
} from '../../features/ground/settings/as-code.ts'
import { isUsageError, readArguments, UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { withPlatform } from './with-platform.ts'

const ACTIONS = ['export', 'plan', 'apply']
const DIFFERS = 2
const HOST = { id: null, address: null }

/** A wrong argument is 1 here, because 2 says that a plan has differences. */
export async function runSettings(argv: readonly string[]): Promise<number> {
  try {
    return await run(argv)
  } catch (error) {
    if (!isUsageError(error)) throw error
    process.stderr.write(`gatehouse settings: ${error.message}. See gatehouse settings --help.\n`)
    return 1
  }
}

async function run(argv: readonly string[]): Promise<number> {
  const [action = ''] = argv
  if (!ACTIONS.includes(action))
    throw new UsageError(`unknown action "${action}"; the actions are export, plan and apply`)
  const { words } = readArguments(argv, action === 'export' ? ['ACTION'] : ['ACTION', 'FILE'], {})
  const [, path = ''] = words
  if (action === 'export') {
    const file = await withPlatform(settingsAsFile)
    process.stdout.write(`${JSON.stringify(file, null, 2)}\n`)
    return 0
  }
  await checkInput(path)
  const file = await parseSettingsFile(await readFile(path, 'utf8'))
  if (action === 'plan') {
    const differences = await withPlatform((platform) => planSettings(platform, file, environment()))
    print(differences)
    return differences.length === 0 ? 0 : DIFFERS
  }
  print(await withPlatform((platform) => applySettings(platform, HOST, file, environment())))
  return 0
}

function print(differences: readonly Difference[]): void {
  for (const { path, words } of differences) process.stdout.write(`${path}: ${words}\n`)
  if (differences.length === 0) process.stderr.write('Nothing differs.\n')
}
