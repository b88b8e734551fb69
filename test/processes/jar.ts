/** A browser's cookie jar, for a client that has none. */
export class Jar {
  readonly #cookies: Map<string, string>

  constructor(cookies = new Map<string, string>()) {
    this.#cookies = cookies
  }

  async fetch(
    address: string | URL | Request,
    { origin, ...init }: RequestInit & { readonly origin: string },
  ): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    headers.set('origin', origin)
    const response = await fetch(address, { ...init, headers })
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie)
    return response
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (/max-age=0\b/i.test(cookie)) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}
