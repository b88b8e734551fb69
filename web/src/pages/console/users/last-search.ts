const key = 'users-search'

/** The place where this tab left the list of users, so that a user's page leads back to it. */
export const lastSearch = (): string => sessionStorage.getItem(key) ?? ''

export function rememberSearch(search: string): void {
  const kept = new URLSearchParams(search)
  kept.delete('open')
  sessionStorage.setItem(key, kept.size > 0 ? `?${kept}` : '')
}
