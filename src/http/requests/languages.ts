import { LANGUAGES, type Language } from '../../rules/languages.ts'
import type { Exchange } from '../exchange.ts'

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

/** The first of them in which there are texts; undefined for a program that names none. */
export function languageOf(exchange: Exchange): Language | undefined {
  if (exchange.header('accept-language') === undefined && exchange.cookie(COOKIE) === undefined) return undefined
  const known = preferredLanguages(exchange).flatMap((tag) => LANGUAGES.find((language) => language === tag) ?? [])
  return known[0]
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
