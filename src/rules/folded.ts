/** Letters that no decomposition takes apart, and the sigma that ends a word. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i', ς: 'σ' },
}
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/** Drops case and accents, in any script, so that people are found however their name is typed. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter)
}

/** Text that consists of accents alone stays as it is, and matches nothing. */
export function foldedWords(text: string): readonly string[] {
  return (folded(text).trim() || text).split(/\s+/).filter(Boolean)
}
