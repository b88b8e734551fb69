import { configFromEnvironment } from '../../config/config.ts'
import { resetAdministratorPassword } from '../../features/identity/passwords/administrator-password.ts'
import { prepare } from '../../serve.ts'
import { printCredentials } from './prepare.ts'
import { readArguments, UsageError } from './program/arguments.ts'

export async function runAdmin(argv: readonly string[]): Promise<number> {
  const { words } = readArguments(argv, ['reset-password'], {})
  if (words[0] !== 'reset-password')
    throw new UsageError(`unknown action "${words[0]}"; the only one is reset-password`)

  const { platform, credentials } = await prepare(configFromEnvironment())
  try {
    printCredentials(credentials ?? (await resetAdministratorPassword(platform)))
  } finally {
    await platform.close()
  }
  return 0
}
