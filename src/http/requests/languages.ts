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
