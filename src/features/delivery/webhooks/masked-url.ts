/** The form for the audit log: a path or query can contain what only the endpoint should know. */
export function maskedUrl(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}
