import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The command was not understood; nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Compared by name: in the release, the server's file has a second copy of this class. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === 'UsageError'
}

type Options = NonNullable<ParseArgsConfig['options']>

/** Accepts exactly the named words by position, and no unknown flag; `many` names a last word that is given once or more. */
export function readArguments<const Word extends string, const Flags extends Options>(
  argv: readonly string[],
  words: readonly Word[],
  options: Flags,
  many?: string,
) {
  const { values, positionals } = parsed(argv, options)
  const missing = words[positionals.length] ?? (positionals.length === words.length ? many : undefined)
  if (missing !== undefined) throw new UsageError(`${missing} is missing`)
  const empty = positionals.indexOf('')
  if (empty !== -1) throw new UsageError(`${words[empty] ?? many} is empty`)
  const odd = many === undefined ? positionals[words.length] : undefined
  if (odd !== undefined) throw new UsageError(`unexpected argument "${odd}"`)
  return { flags: values, words: positionals }
}

function parsed<const Flags extends Options>(argv: readonly string[], options: Flags) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? oneSentence(error.message) : String(error))
  }
}

/** Node adds advice about words that begin with a dash, in further sentences and lines. */
function oneSentence(message: string): string {
  return message.replace(/\.\s.*$/s, '')
}
