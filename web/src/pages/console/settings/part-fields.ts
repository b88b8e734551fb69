import * as z from 'zod/mini'
import type { SecretChange } from './secret-field.tsx'

export const text = z.string().check(z.trim())

/** Shown until something else is chosen. */
export const keptSecret: SecretChange = { action: 'keep' }

export const secret = z.custom<SecretChange>()

/** Entries of a list, one per line. */
export const lines = z.pipe(
  z.string(),
  z.transform((typed: string) => typed.split(/[\s,]+/).filter((line) => line !== '')),
)

export const linesOf = (entries: readonly string[]) => entries.join('\n')

export const wholeNumber = (most: number, problem: string) =>
  z.pipe(
    z.string().check(
      z.trim(),
      z.refine((typed) => /^\d{1,10}$/.test(typed) && Number(typed) <= most, problem),
    ),
    z.transform(Number),
  )

const ofProvider = /^(?:provider_a|provider_b|community)_/

/** What each field says if its value is rejected. The fields of every provider say the same. */
export function problemsOf(
  words: Readonly<Record<string, string>>,
  fields: readonly string[],
): Record<string, string> {
  const problems = fields.map((field) => [field, words[field.replace(ofProvider, '')]] as const)
  return Object.fromEntries(
    problems.filter((problem): problem is [string, string] => problem[1] !== undefined),
  )
}
