import { editDistance } from '../rules/misspelling.ts'
import { NAMES, type Name } from './listing.ts'

const OUR_PREFIX =
  /^(APP|SHARDS?|DATABASE|KV|SMTP|EMAIL_API|CHALLENGE|PROVIDER|COMMUNITY|CONTINENT|TRUSTED|AUDIT|EVENT|WEBHOOK|DRAIN|LOG|METRICS)_/

/** A name that was probably meant to be one of ours: misspelt, or with one of our prefixes. */
export function findMistakenName(names: readonly string[]): { name: string; meant: Name } | undefined {
  const known: ReadonlySet<string> = new Set(NAMES)
  for (const name of names.filter((candidate) => !known.has(candidate))) {
    const isOurs = OUR_PREFIX.test(name)
    const nearest = nearestOf(isOurs ? NAMES : resembling(name.toUpperCase()), name.toUpperCase())
    if (nearest && (isOurs || isMisspelling(nearest))) return { name, meant: nearest.meant }
  }
  return undefined
}

interface Near {
  readonly meant: Name
  readonly letters: number
}

const MOST_LETTERS = 2

function isMisspelling({ meant, letters }: Near): boolean {
  const allowed = meant.length < 6 ? 0 : meant.length < 8 ? 1 : MOST_LETTERS
  return letters <= allowed
}

/** Most names in an environment differ from ours so much that their length and letters show it at once. */
function resembling(name: string): readonly Name[] {
  return NAMES.filter(({ length }) => Math.abs(name.length - length) <= MOST_LETTERS).filter(
    (known) => [...known].filter((letter) => !name.includes(letter)).length <= MOST_LETTERS,
  )
}

function nearestOf(known: readonly Name[], name: string): Near | undefined {
  return known
    .map((meant) => ({ meant, letters: editDistance(name, meant) }))
    .reduce<Near | undefined>((best, next) => (best && best.letters <= next.letters ? best : next), undefined)
}
