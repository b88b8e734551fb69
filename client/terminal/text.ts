// Control characters, and the marks that make text run backwards: a server must not drive the terminal.
const CONTROL = /[\p{Cc}\u200e\u200f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Server text for one line of standard error. */
export function cleanLine(text: string): string {
  return text.replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim().slice(0, 500)
}

/** Server text for a terminal, in several lines. */
export function cleanText(text: string): string {
  return text.replace(CONTROL, (character) => (character === '\n' || character === '\t' ? character : ''))
}

/** JSON for a terminal: still the same JSON, without characters that control a terminal. */
export function cleanJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(CONTROL, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function commaList(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}
