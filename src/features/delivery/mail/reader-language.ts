import type { Exchange } from '../../../http/exchange.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import type { Settings } from '../../ground/settings/model.ts'

/** Set by the pages when a user chooses a language. */
const COOKIE = 'language'

/** The language that the reader chose in the pages, else the browser's, if the operator offers it. */
export function readerLanguage(exchange: Exchange, { brand }: Pick<Settings, 'brand'>): Language {
  const preferred = [exchange.cookie(COOKIE), ...accepted(exchange.header('accept-language'))]
  const known = preferred.flatMap((tag) => brand.languages.find((language) => language === tag) ?? [])
  return known[0] ?? firstOf(brand.languages)
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
