import { own } from './own.ts'

export type TokenSource = string | (() => string | null | undefined | Promise<string | null | undefined>)

/** Sends requests to one server, with the browser's cookie or with a token. */
export class Requests {
  readonly server: string
  readonly token: TokenSource | undefined

  constructor(server: string, token: TokenSource | undefined) {
    this.server = server
    this.token = token
  }

  get isByToken(): boolean {
    return this.token !== undefined
  }

  /** A function can have returned a token that has ended meanwhile, so it is called once more. */
  async send(path: string, init: RequestInit): Promise<Response> {
    const token = await this.tokenNow()
    const response = await this.#sendWith(token, path, init)
    if (response.status !== 401 || typeof this.token !== 'function') return response
    const next = await this.tokenNow()
    return next && next !== token ? this.#sendWith(next, path, init) : response
  }

  async tokenNow(): Promise<string | undefined> {
    const token = typeof this.token === 'function' ? await this.token() : this.token
    return typeof token === 'string' ? token : undefined
  }

  #sendWith(token: string | undefined, path: string, init: RequestInit): Promise<Response> {
    const authorization = token ? { authorization: `Bearer ${token}` } : {}
    return own.fetch(this.server + path, {
      ...init,
      credentials: this.isByToken ? 'omit' : 'include',
      cache: 'no-store',
      headers: { ...init.headers, ...authorization },
    })
  }
}
