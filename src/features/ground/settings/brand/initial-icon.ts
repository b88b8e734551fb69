import type { Palette } from './look/palette.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The site's icon if there is no logo: the first letter of the name, as the pages show it. */
export function initialIcon(name: string, { accent, on }: Palette['light']): string {
  const letter = initialOf(name).replace(/[&<>]/g, (character) => ENTITIES[character] ?? '')
  const svg = [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    `<rect width="32" height="32" rx="8" fill="${accent}"/>`,
    `<text x="16" y="22.5" fill="${on}" font-family="sans-serif" font-size="18" font-weight="600"`,
    ` text-anchor="middle">${letter}</text></svg>`,
  ]
  return `data:image/svg+xml,${encodeURIComponent(svg.join(''))}`
}

/** The first letter or digit as people count letters, else the first character of any kind. */
export function initialOf(name: string): string {
  const characters = Array.from(new Intl.Segmenter('en').segment(name.toWellFormed()), ({ segment }) => segment)
  const first = characters.find((character) => /[\p{L}\p{N}]/u.test(character)) ?? characters[0] ?? ''
  return first.toLocaleUpperCase('en')
}
