const CHARACTERS: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

/** Text of a page, as a browser reads it. */
export function unescaped(html = ''): string {
  return html.replace(/&[#\w]+;/g, (entity) => CHARACTERS[entity] ?? entity)
}
