interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  readonly body: any
}

/** A user with a session who reaches the service through a socket. */
export class Visitor {
  readonly id: string
  readonly token: string
  readonly #url: string

  private constructor(url: string, id: string, token: string) {
    this.#url = url
    this.id = id
    this.token = token
  }

  static signedUp(url: string, email: string): Promise<Visitor> {
    return Visitor.#enter(url, 'sign-up/email', { email, name: email, password: PASSWORD })
  }

  static signedIn(url: string, email: string, password: string = PASSWORD): Promise<Visitor> {
    return Visitor.#enter(url, 'sign-in/email', { email, password })
  }

  /** The same session, met at another address. */
  at(url: string): Visitor {
    return new Visitor(url, this.id, this.token)
  }

  post(path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return send(`${this.#url}${path}`, body, { authorization: `Bearer ${this.token}`, ...headers })
  }

  static async #enter(url: string, path: string, body: object): Promise<Visitor> {
    const reply = await send(`${url}/api/auth/${path}`, body)
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return new Visitor(url, reply.body.user.id, reply.body.token)
  }
}

const PASSWORD = 'a long walk in the rain'

/** A JSON body there and back. */
export async function send(
  address: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
