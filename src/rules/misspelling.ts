const FARTHEST_GUESS = 3
/** A longer word is not a misspelling of ours, and comparing it would take long. */
const LONGEST_WORD = 64

/** A guess keeps half of the letters at least, or any short word would be taken for a short name. */
export function guessFor(word: string, names: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined
  const [nearest] = names.map((name) => ({ name, steps: editDistance(word, name) })).sort((a, b) => a.steps - b.steps)
  if (!nearest || nearest.steps > Math.min(FARTHEST_GUESS, nearest.name.length / 2)) return undefined
  return nearest.name
}

/** Letters to add, drop, change or swap with a neighbour until one word is the other. */
export function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swaps = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swap = swaps ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, change, swap))
    }
    before = row
    row = next
  }
  return at(row, to.length)
}

function at(row: readonly number[], i: number): number {
  return row[i] ?? Number.POSITIVE_INFINITY
}
