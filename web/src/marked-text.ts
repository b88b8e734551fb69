interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

/** Letters that no decomposition takes apart. */
const plain: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' }

/** Folds as the service does when it compares words. */
const fold = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[łøđßæœı]/g, (letter) => plain[letter] ?? letter)

/** Takes a text apart, so that what was searched for can be marked. */
export function markedPieces(text: string, search: string): readonly Piece[] {
  const words = fold(search).split(/\s+/).filter(Boolean)
  if (words.length === 0) return [{ text, isMarked: false }]
  const characters = [...text]
  const parts = characters.map(fold)
  const marked = markedIn(parts, words)
  const pieces: Piece[] = []
  characters.forEach((character, at) => {
    const last = pieces.at(-1)
    // A combining accent belongs to the letter before it.
    const isMarked = parts[at] === '' ? (last?.isMarked ?? false) : marked.has(at)
    if (last?.isMarked === isMarked) pieces[pieces.length - 1] = { text: last.text + character, isMarked }
    else pieces.push({ text: character, isMarked })
  })
  return pieces
}

/** The parts that the words touch. */
function markedIn(parts: readonly string[], words: readonly string[]): ReadonlySet<number> {
  const folded = parts.join('')
  const partAt = parts.flatMap((part, at) => [...part].flatMap((one) => Array(one.length).fill(at)))
  const marked = new Set<number>()
  for (const word of words) {
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1))
      for (const part of partAt.slice(at, at + word.length)) marked.add(part)
  }
  return marked
}
