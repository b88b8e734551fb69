const KEPT = 10_000
const written = new Map<number, string>()

/** A time as it is sent. The same sessions are read again and again, and formatting a date costs 0.5 µs. */
export function iso(milliseconds: number): string {
  const known = written.get(milliseconds)
  if (known !== undefined) return known
  if (written.size >= KEPT) written.clear()
  const text = new Date(milliseconds).toISOString()
  written.set(milliseconds, text)
  return text
}
