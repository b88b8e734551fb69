/** PostgreSQL accepts neither a zero byte nor a lone surrogate. */
export function storable(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed().replaceAll('\0', '\ufffd')
}
