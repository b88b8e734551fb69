interface AddressValues {
  readonly publicUrl: string | undefined
  readonly appDomain: string | undefined
  readonly port: number
}

/** The one address at which people, providers and clients reach this service. */
export interface PublicAddress {
  readonly appDomain: string
  readonly baseUrl: string
  /** True for one developer on one machine; allows what would be careless on a public address. */
  readonly isLocal: boolean
  readonly isHttps: boolean
}

/** `PUBLIC_URL` decides; without it, the specification's `https://<APP_DOMAIN>`, or localhost with the port. */
export function publicAddress({ publicUrl, appDomain, port }: AddressValues): PublicAddress {
  const baseUrl = publicUrl ?? derived(appDomain, port)
  const { host, hostname, protocol } = new URL(baseUrl)
  return {
    appDomain: appDomain ?? (isLoopback(hostname) ? 'localhost' : host),
    baseUrl,
    isLocal: isLoopback(hostname),
    isHttps: protocol === 'https:',
  }
}

function derived(appDomain: string | undefined, port: number): string {
  const isLocal = appDomain === undefined || appDomain === 'localhost'
  return isLocal ? `http://localhost:${port}` : `https://${appDomain}`
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
