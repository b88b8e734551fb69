import type { Texts } from './en.ts'

/** The words for a refusal. Whatever a role in an organisation does not allow is one sentence, if it has none of its own. */
export function refusalWords({ failures }: Pick<Texts, 'failures'>, code: string): string | undefined {
  const words: Readonly<Record<string, string>> = failures
  if (Object.hasOwn(words, code)) return words[code]
  return code.startsWith('YOU_ARE_NOT_ALLOWED_TO_') ? failures.INSUFFICIENT_PERMISSION : undefined
}

/** The words for a code; one that the catalogue does not know stays as it is. */
export const wordOf = (words: Readonly<Record<string, string>>, code: string): string =>
  Object.hasOwn(words, code) ? (words[code] ?? code) : code
