export interface Piece {
  readonly text: string
  readonly url?: string
  readonly isBold?: true
}

/** `**bold**` and `[text](https://…)`. Each begins anew after what cannot be inside, so that no text is slow. */
const marked = /\*\*([^*\n]{1,1000})\*\*|\[([^[\]\n]{1,200})\]\((https?:\/\/[^\s()[\]<>"]{1,2000})\)/g

/** An announcement: bold, links with words, and addresses. All else stays as it was written. */
export function announcedPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const found of text.matchAll(marked)) {
    const [whole, bold, words, url] = found
    if (url !== undefined && !URL.canParse(url)) continue
    pieces.push(...piecesOf(text.slice(end, found.index)))
    if (bold !== undefined) pieces.push(...piecesOf(bold).map((piece) => ({ ...piece, isBold: true }) as const))
    else if (words !== undefined && url !== undefined) pieces.push({ text: words, url })
    end = found.index + whole.length
  }
  return [...pieces, ...piecesOf(text.slice(end))]
}

const urlShape = /https?:\/\/[^\s<>"'\u201c\u201d\u2018\u2019`]+/g
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
