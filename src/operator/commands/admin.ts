import { resetAdministratorPassword } from '../../features/identity/passwords/administrator-password.ts'
import { removeFactorsFromHost } from '../../features/security/removing.ts'
import { rotateSigningKeys } from '../../features/signing/rotation.ts'
import type { Platform } from '../../platform/platform.ts'
import { printCredentials } from './prepare.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { openInstallation } from './with-platform.ts'

const ACTIONS = ['reset-password', 'reset-factors', 'rotate-signing-keys']

export async function runAdmin(argv: readonly string[]): Promise<number> {
  const withAddress = argv[0] === 'reset-factors' && argv.length > 1
  const { words, flags } = readArguments(
    argv,
    withAddress ? ['ACTION', 'EMAIL'] : ['ACTION'],
    argv[0] === 'rotate-signing-keys' ? { now: { type: 'boolean' } } : {},
  )
  const [action = '', email] = words
  if (!ACTIONS.includes(action)) {
    throw new UsageError(`unknown action "${action}"; the actions are ${ACTIONS.join(', ')}`)
  }

  const { platform, credentials } = await openInstallation()
  try {
    if (action === 'reset-password')
      printCredentials(credentials ?? (await resetAdministratorPassword(platform)))
    else if (action === 'reset-factors') await resetFactors(platform, email)
    else await rotateKeys(platform, flags.now === true)
  } finally {
    await platform.close()
  }
  return 0
}

async function resetFactors(platform: Platform, email: string | undefined): Promise<void> {
  const removed = await removeFactorsFromHost(platform, email)
  process.stdout.write(`Second factors removed: ${removed.email}\n`)
}

async function rotateKeys(platform: Platform, isNow: boolean): Promise<void> {
  await rotateSigningKeys(platform, isNow ? 'now' : 'in a day')
  process.stdout.write(
    isNow
      ? 'New signing keys sign from now on. The former ones are withdrawn, and their tokens are refused.\n'
      : 'New signing keys are published, and sign in a day at the latest.\n',
  )
}
