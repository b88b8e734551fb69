import { configFromEnvironment } from '../../config/config.ts'
import { resetAdministratorPassword } from '../../features/identity/passwords/administrator-password.ts'
import { prepare } from '../../serve.ts'
import { readArguments, UsageError } from './arguments.ts'
import { printCredentials } from './prepare.ts'

export async function runAdmin(argv: readonly string[]): Promise<number> {
  const { words } = readArguments(argv, ['reset-password'], {})
  if (words[0] !== 'reset-password') throw new UsageError(`there is no "${words[0]}"; reset-password is all`)

  const { platform, credentials } = await prepare(configFromEnvironment())
  try {
    printCredentials(credentials ?? (await resetAdministratorPassword(platform)))
  } finally {
    await platform.close()
  }
  return 0
}
