/** RFC 4180; where a spreadsheet would find a formula, an apostrophe comes before it. */
export function csvOf(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n')
}

/**
 * Matches at the start of a cell, and after everything that some spreadsheet takes for the end of one: in half of
 * Europe that is a semicolon, and some split at tabs whatever the quotes say.
 */
const FORMULA = /(?<=^|[,;\t])(?=\s*[=+\-@＝＋－＠]|[\t\r])/g

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = value.replace(FORMULA, "'")
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
