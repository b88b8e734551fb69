import { environment } from '../../config/config.ts'
import type { Difference, Rest } from '../../features/ground/settings/as-code/section.ts'
import { applySettings, planSettings, settingsAsFile } from '../as-code/as-code.ts'
import { parseSettingsFile } from '../as-code/file.ts'
import { readText } from '../transfer/text-file.ts'
import { isUsageError, readArguments, UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { print, printJson, say } from './program/output.ts'
import { withPlatform } from './with-platform.ts'

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
  switch (action) {
    case 'export':
      readArguments(argv, ['ACTION'], {})
      return exportSettings()
    case 'plan':
      return plan(argv)
    case 'apply':
      return apply(argv)
    default:
      throw new UsageError(`unknown action "${action}"; the actions are export, plan and apply`)
  }
}

async function exportSettings(): Promise<number> {
  const { file, withoutKey } = await withPlatform(settingsAsFile)
  printJson(file)
  if (withoutKey > 0) say(`Applications and webhooks without a key, which are left out: ${withoutKey}.`)
  return 0
}

async function plan(argv: readonly string[]): Promise<number> {
  const { words, flags } = readArguments(argv, ['ACTION', 'FILE'], { prune: { type: 'boolean' } })
  const file = await readFile(words)
  const how = { environment: environment(), rest: restOf(flags) }
  const differences = await withPlatform((platform) => planSettings(platform, file, how))
  show(differences)
  return differences.length === 0 ? 0 : DIFFERS
}

async function apply(argv: readonly string[]): Promise<number> {
  const { words, flags } = readArguments(argv, ['ACTION', 'FILE'], {
    prune: { type: 'boolean' },
    'secrets-out': { type: 'string' },
  })
  const secretsOut = flags['secrets-out']
  if (secretsOut === '' || secretsOut === '-') throw new UsageError('--secrets-out must name a file')
  const file = await readFile(words)
  const how = { environment: environment(), rest: restOf(flags), secretsOut }
  show(await withPlatform((platform) => applySettings({ platform }, file, how)))
  return 0
}

async function readFile([, path = '']: readonly string[]) {
  await checkInput(path)
  return parseSettingsFile(await readText(path))
}

function restOf({ prune = false }: { readonly prune?: boolean | undefined }): Rest {
  return prune ? 'pruned' : 'kept'
}

function show(differences: readonly Difference[]): void {
  for (const { path, words } of differences) print(`${path}: ${words}`)
  if (differences.length === 0) say('Nothing differs.')
}
