import { configFromEnvironment } from '../../config/config.ts'
import type { Credentials } from '../../prepare.ts'
import { prepare } from '../../serve.ts'
import { readArguments } from './program/arguments.ts'
import { OutputLost, printForCertain } from './program/output.ts'

export async function runPrepare(argv: readonly string[]): Promise<number> {
  readArguments(argv, [], {})
  const { platform, credentials } = await prepare(configFromEnvironment())
  await platform.close()
  if (credentials) printCredentials(credentials)
  return 0
}

/**
 * The only place where the first password is ever shown. Throws an error that says what to do if that fails.
 */
export function printCredentials({ email, password }: Credentials): void {
  try {
    printForCertain(`Administrator: ${email}\nPassword: ${password}\n`)
  } catch (error) {
    if (!(error instanceof OutputLost)) throw error
    throw new OutputLost(
      `the password of ${email} was not shown: ${error.message}; \`gatehouse admin reset-password\` shows another`,
    )
  }
}

/** For a command that has more to do after it. */
export function printCredentialsAside(credentials: Credentials): void {
  try {
    printCredentials(credentials)
  } catch (error) {
    if (!(error instanceof OutputLost)) throw error
    process.stderr.write(`gatehouse: ${error.message}\n`)
  }
}
