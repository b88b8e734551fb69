/** True for a page of this very host, whatever `PUBLIC_URL` says. */
export function isOwnHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `https://${host}` || origin === `http://${host}`)
}
