import { configFromEnvironment } from '../../config/config.ts'
import type { Credentials } from '../../prepare.ts'
import { prepare } from '../../serve.ts'
import { readArguments } from './program/arguments.ts'
import { OutputLost, printOrThrow, say } from './program/output.ts'

export async function runPrepare(argv: readonly string[]): Promise<number> {
  readArguments(argv, [], {})
  const { platform, credentials } = await prepare(configFromEnvironment())
  await platform.close()
  if (credentials) printCredentials(credentials)
  return 0
}

/**
 * The only place that ever shows the first password. If that fails, the error says what to do.
 */
export function printCredentials({ email, password }: Credentials): void {
  try {
    printOrThrow(`Administrator: ${email}\nPassword: ${password}\n`)
  } catch (error) {
    if (!(error instanceof OutputLost)) throw error
    throw new OutputLost(
      `the password of ${email} was not shown: ${error.message}; \`gatehouse admin reset-password\` makes a new one`,
    )
  }
}

/** Used by a command that goes on afterwards. */
export function printCredentialsIfPossible(credentials: Credentials): void {
  try {
    printCredentials(credentials)
  } catch (error) {
    if (!(error instanceof OutputLost)) throw error
    say(`gatehouse: ${error.message}`)
  }
}
