interface Piece {
  readonly text: string
  readonly url?: string
}

const urlShape = /https?:\/\/[^\s<>"'“”‘’`]+/g
/** Punctuation that ends a sentence, not an address. */
const trailing = new Set('.,;:!?…，。；：！？、)]}）】》')

/** A text cut into plain words and web addresses. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(urlShape)) {
    const url = withoutTrailing(found)
    if (!URL.canParse(url)) continue
    if (index > end) pieces.push({ text: text.slice(end, index) })
    pieces.push({ text: url, url })
    end = index + url.length
  }
  return end < text.length ? [...pieces, { text: text.slice(end) }] : pieces
}

/**
 * A closing bracket belongs to the address if the address opened it. A loop and not a pattern, which would start again
 * at every dot of a long row.
 */
function withoutTrailing(found: string): string {
  let end = found.length
  while (trailing.has(found.charAt(end - 1))) end--
  const short = found.slice(0, end)
  const isOpen = short.lastIndexOf('(') > short.lastIndexOf(')')
  return isOpen && found.charAt(short.length) === ')' ? `${short})` : short
}
