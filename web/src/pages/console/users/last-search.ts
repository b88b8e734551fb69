const key = 'users-search'

/** Where the list of users was left in this tab, so that a user's page leads back to it. */
export const lastSearch = (): string => sessionStorage.getItem(key) ?? ''

export function rememberSearch(search: string): void {
  const kept = new URLSearchParams(search)
  kept.delete('open')
  sessionStorage.setItem(key, kept.size > 0 ? `?${kept}` : '')
}
