const WIDEST = 48

/** The last cell of a row can have any width. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length - 1))
  const widths = Array.from({ length: count }, (_, column) =>
    Math.min(WIDEST, Math.max(0, ...rows.map((row) => row[column]?.length ?? 0))),
  )
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
