import { environment } from '../../config/config.ts'
import {
  applySettings,
  type Difference,
  parseSettingsFile,
  planSettings,
  settingsAsFile,
} from '../../features/ground/settings/as-code.ts'
import { readText } from '../transfer/text-file.ts'
import { isUsageError, readArguments, UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { print, printJson, say } from './program/output.ts'
import { withPlatform } from './with-platform.ts'

const ACTIONS = ['export', 'plan', 'apply']
const DIFFERS = 2

/** A wrong argument is 1 here, because 2 says that a plan has differences. */
export async function runSettings(argv: readonly string[]): Promise<number> {
  try {
    return await run(argv)
  } catch (error) {
    if (!isUsageError(error)) throw error
    say(`gatehouse settings: ${error.message}. See gatehouse settings --help.`)
    return 1
  }
}

async function run(argv: readonly string[]): Promise<number> {
  const [action = ''] = argv
  if (!ACTIONS.includes(action))
    throw new UsageError(`unknown action "${action}"; the actions are export, plan and apply`)
  const {
    words: [, path = ''],
  } = readArguments(argv, action === 'export' ? ['ACTION'] : ['ACTION', 'FILE'], {})
  if (action === 'export') {
    const file = await withPlatform(settingsAsFile)
    printJson(file)
    return 0
  }
  await checkInput(path)
  const file = await parseSettingsFile(await readText(path))
  if (action === 'plan') {
    const differences = await withPlatform((platform) => planSettings(platform, file, environment()))
    show(differences)
    return differences.length === 0 ? 0 : DIFFERS
  }
  show(await withPlatform((platform) => applySettings({ platform }, file, environment())))
  return 0
}

function show(differences: readonly Difference[]): void {
  for (const { path, words } of differences) print(`${path}: ${words}`)
  if (differences.length === 0) say('Nothing differs.')
}
