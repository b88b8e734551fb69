/** The first letter or digit as people count letters, else the first character of any kind. */
export function initialOf(name: string): string {
  const characters = Array.from(new Intl.Segmenter('en').segment(name.trim()), ({ segment }) => segment)
  const first = characters.find((character) => /[\p{L}\p{N}]/u.test(character)) ?? characters[0] ?? ''
  return first.toLocaleUpperCase('en')
}
