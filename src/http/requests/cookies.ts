/**
 * The value of one cookie. Names are compared byte for byte, and only space and tab are white space (RFC 6265):
 * a trimmed no-break space would let another site's cookie pass for one with the `__Host-` prefix. A name that
 * is sent twice has no value, because either of the two could be ours.
 */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (!header?.includes(name)) return undefined
  let found: string | undefined
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at < 1 || withoutWhiteSpace(pair.slice(0, at)) !== name) continue
    if (found !== undefined) return undefined
    found = pair.slice(at + 1)
  }
  return found === undefined ? undefined : decoded(withoutWhiteSpace(found))
}

function withoutWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (isWhiteSpace(text[start])) start++
  while (end > start && isWhiteSpace(text[end - 1])) end--
  return text.slice(start, end)
}

function isWhiteSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function decoded(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
