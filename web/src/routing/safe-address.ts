/** Follows a path of these pages only; anything else leads home. */
export function ownPath(next: string | null): string {
  if (!next?.startsWith('/')) return '/'
  const url = URL.parse(next, location.origin)
  if (url?.origin !== location.origin) return '/'
  // `/.//evil` resolves to the path `//evil`, which the router would take for another site.
  return url.pathname.startsWith('//') ? '/' : url.pathname + url.search
}

const LONGEST = 2_048

/**
 * The full address if it is at one of these origins; undefined for any other, and for anything that is not a web
 * page.
 */
export function productAddress(to: string | null, origins: readonly string[]): string | undefined {
  if (!to || to.length > LONGEST || /[\s\p{Cc}\\]/u.test(to)) return undefined
  const url = URL.parse(to, location.origin)
  // The origin of a `blob:` address is the origin of the page that made it.
  if (!url || !/^https?:$/.test(url.protocol) || !origins.includes(url.origin)) return undefined
  return url.username || url.password ? undefined : url.href
}

/** Some proxies cannot encode the address; it is then everything that follows, as it is. */
export function productWanted(query: string): string | null {
  const [, rest = ''] = /[?&]return_to=(.*)$/s.exec(query) ?? []
  return /^(https?:\/\/|\/)/.test(rest) ? rest : new URLSearchParams(query).get('return_to')
}
