import type { Language } from '../../ground/settings/brand/input.ts'
import type { Settings } from '../../ground/settings/model.ts'

/** The first of the reader's languages that the operator offers, else the operator's first. */
export function offeredLanguage(preferred: readonly string[], { brand }: Pick<Settings, 'brand'>): Language {
  const known = preferred.flatMap((tag) => brand.languages.find((language) => language === tag) ?? [])
  return known[0] ?? brand.languages[0] ?? 'en'
}
