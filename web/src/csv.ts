/** RFC 4180; a cell that a spreadsheet would take for a formula is text, with an apostrophe before it. */
export function csvOf(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n')
}

function cellOf(value: string | number): string {
  const text =
    typeof value === 'string' && /^[\t\r\n]|^\s*[=+\-@＝＋－＠]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
