/** PostgreSQL accepts neither a zero byte nor half a character. */
export function storable(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed().replaceAll('\0', '\ufffd')
}
