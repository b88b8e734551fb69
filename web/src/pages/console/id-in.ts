/** The id in the address of a page about one thing; as it is written if it cannot be decoded, as in `/console/users/%`. */
export function idIn(pathname: string): string {
  const written = pathname.split('/')[3] ?? ''
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
