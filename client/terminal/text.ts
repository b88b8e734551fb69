import { escaped, onOneLine } from '../../src/rules/one-line.ts'

/** Server text for one line of standard error. */
export function cleanLine(text: string): string {
  return onOneLine(text).replace(/ {2,}/g, ' ').slice(0, 500)
}

/** JSON for a terminal: still the same JSON, without characters that control a terminal. */
export function cleanJson(value: unknown): string {
  return escaped(JSON.stringify(value, null, 2))
}

export function commaList(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}
