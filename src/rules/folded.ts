/** Letters that no decomposition takes apart. */
const PLAIN: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' }

/** Without case and accents, in any script, so that people are found however their name is typed. */
export function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[łøđßæœı]/g, (letter) => PLAIN[letter] ?? letter)
}

export function foldedWords(text: string): readonly string[] {
  return folded(text).split(/\s+/).filter(Boolean)
}
