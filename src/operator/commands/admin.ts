import { resetAdministratorPassword } from '../../features/identity/passwords/administrator-password.ts'
import { removeFactorsFromHost } from '../../features/security/removing.ts'
import type { Platform } from '../../platform/platform.ts'
import { printCredentials } from './prepare.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { openInstallation } from './with-platform.ts'

const ACTIONS = ['reset-password', 'reset-factors']

export async function runAdmin(argv: readonly string[]): Promise<number> {
  const withAddress = argv[0] === 'reset-factors' && argv.length > 1
  const [action = '', email] = readArguments(argv, withAddress ? ['ACTION', 'EMAIL'] : ['ACTION'], {}).words
  if (!ACTIONS.includes(action)) {
    throw new UsageError(`unknown action "${action}"; the actions are ${ACTIONS.join(' and ')}`)
  }

  const { platform, credentials } = await openInstallation()
  try {
    if (action === 'reset-password')
      printCredentials(credentials ?? (await resetAdministratorPassword(platform)))
    else await resetFactors(platform, email)
  } finally {
    await platform.close()
  }
  return 0
}

async function resetFactors(platform: Platform, email: string | undefined): Promise<void> {
  const removed = await removeFactorsFromHost(platform, email)
  process.stdout.write(`Second factors removed: ${removed.email}\n`)
}
