import type { Section } from './library.ts'

export interface Found {
  readonly section: Section
  /** A piece of the text around the first match. */
  readonly excerpt: string
}

const MOST_WORDS = 8
const MOST_FOUND = 30
const BEFORE = 60
const EXCERPT = 220

export function wordsOf(query: string): readonly string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_./:-]+/gu))].slice(0, MOST_WORDS)
}

/** The sections that have every word; those with the words in their heading first. */
export function search(sections: readonly Section[], words: readonly string[]): readonly Found[] {
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, rank: rankOf(section, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, MOST_FOUND)
    .map(({ section }) => ({ section, excerpt: excerptOf(section, words) }))
}

/** Zero if a word is missing. */
function rankOf({ page, heading, lower }: Section, words: readonly string[]): number {
  const [title, head] = [page.title.toLowerCase(), heading.toLowerCase()]
  let sum = 0
  for (const word of words) {
    const rank = (head.includes(word) ? 20 : 0) + (title.includes(word) ? 6 : 0) + timesIn(lower, word)
    if (rank === 0) return 0
    sum += rank
  }
  return sum
}

/** More than five times count as five. */
function timesIn(text: string, word: string): number {
  let times = 0
  for (let at = text.indexOf(word); at >= 0 && times < 5; at = text.indexOf(word, at + word.length)) times += 1
  return times
}

function excerptOf({ text, lower }: Section, words: readonly string[]): string {
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const start = Math.max(0, Math.min(...places, text.length) - BEFORE)
  const from = start === 0 || places.length === 0 ? 0 : text.indexOf(' ', start) + 1
  const piece = text.slice(from, from + EXCERPT)
  return `${from > 0 ? '… ' : ''}${piece}${from + EXCERPT < text.length ? ' …' : ''}`
}
