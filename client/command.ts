import type { ParseArgsOptionsConfig } from 'node:util'
import type { ExitCode } from './terminal/failure.ts'
import { usage } from './terminal/failure.ts'
import type { Io } from './terminal/io.ts'

export interface Command {
  readonly options: ParseArgsOptionsConfig
  readonly run: (args: string[], io: Io) => Promise<ExitCode>
}

/**
 * Arguments are given by position or by their own flag. Positional ones fill the names without a flag, in
 * order.
 */
export function placeArguments<Name extends string>(
  names: readonly Name[],
  flags: Readonly<Partial<Record<Name, string | undefined>>>,
  positionals: readonly string[],
): Partial<Record<Name, string>> {
  const rest = [...positionals]
  const placed: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = flags[name] ?? rest.shift()
    if (value !== undefined) placed[name] = value
  }
  if (rest.length > 0) throw usage(`one argument too many: "${rest[0]}"`)
  return placed
}
