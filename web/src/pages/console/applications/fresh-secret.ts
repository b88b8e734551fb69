interface Fresh {
  readonly id: string
  readonly client_secret: string
}

let fresh: Fresh | undefined

/** Keeps a new application's secret for its page, which the form leads to. */
export function keepSecret(id: string, client_secret: string | undefined): void {
  fresh = client_secret === undefined ? undefined : { id, client_secret }
}

export const freshSecretOf = (id: string) => (fresh?.id === id ? fresh.client_secret : undefined)

export function dropSecret(): void {
  fresh = undefined
}
