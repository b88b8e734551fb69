import type { Exchange } from '../../../http/exchange.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import type { Settings } from '../../ground/settings/model.ts'

/** Set by the pages when a user chooses a language. */
const COOKIE = 'language'
const LONGEST_TAG = 16

/** The language that the reader chose in the pages, then those of the browser, best first. */
export function preferredLanguages(exchange: Exchange): string[] {
  const chosen = exchange.cookie(COOKIE)
  return [
    ...(chosen === undefined ? [] : [chosen.slice(0, LONGEST_TAG)]),
    ...accepted(exchange.header('accept-language')),
  ]
}

/** The first of them that the operator offers. */
export function offeredLanguage(preferred: readonly string[], { brand }: Pick<Settings, 'brand'>): Language {
  const known = preferred.flatMap((tag) => brand.languages.find((language) => language === tag) ?? [])
  return known[0] ?? firstOf(brand.languages)
}

export function readerLanguage(exchange: Exchange, settings: Pick<Settings, 'brand'>): Language {
  return offeredLanguage(preferredLanguages(exchange), settings)
}

/** Primary tags, the best first. */
function accepted(header: string | undefined): readonly string[] {
  const ranges = (header ?? '').slice(0, 256).split(',')
  const weighed = ranges.map((range) => {
    const [tag = '', weight] = range
      .trim()
      .toLowerCase()
      .split(/;\s*q=/)
    return { tag: tag.slice(0, 2), weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  return weighed
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}

function firstOf(languages: readonly Language[]): Language {
  return languages[0] ?? 'en'
}
