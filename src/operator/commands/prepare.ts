import { configFromEnvironment } from '../../config/config.ts'
import type { Credentials } from '../../prepare.ts'
import { prepare } from '../../serve.ts'
import { readArguments } from './program/arguments.ts'

export async function runPrepare(argv: readonly string[]): Promise<number> {
  readArguments(argv, [], {})
  const { platform, credentials } = await prepare(configFromEnvironment())
  if (credentials) printCredentials(credentials)
  await platform.close()
  return 0
}

/** The only place where the first password is ever shown. */
export function printCredentials({ email, password }: Credentials): void {
  process.stdout.write(`Administrator: ${email}\nPassword: ${password}\n`)
}
