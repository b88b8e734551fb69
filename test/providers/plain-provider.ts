import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

interface Shape {
  readonly authorize: string
  readonly token: string
}

const SHAPES = {
  community: { authorize: '/oauth2/authorize', token: '/oauth2/token' },
  github: { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' },
  discord: { authorize: '/oauth2/authorize', token: '/api/oauth2/token' },
} as const satisfies Record<string, Shape>

interface Issued {
  readonly challenge: string
  readonly redirectUri: string
  /** Facts about the member who consented. */
  readonly resources: Readonly<Record<string, unknown>>
}

/**
 * A provider without OpenID, as strict as a good one: codes once, PKCE, exact redirect, client's secret.
 * `resources` are what its user endpoints tell about the next member who consents.
 */
export class PlainProvider {
  resources: Record<string, unknown>
  redirect: Readonly<Record<string, string>> = {}
  /** Paths that break the connection, leave the caller waiting, or return what the test says. */
  readonly broken = new Map<string, 'drop' | 'hold' | Canned>()
  readonly asked: URL[] = []
  /** Called when a caller is left waiting. */
  onHold: () => void = () => undefined
  /** Awaited before each response. */
  before: (path: string) => Promise<void> = async () => undefined
  /** Codes that were issued and not used yet. */
  readonly codes = new Map<string, Issued>()
  readonly #shape: Shape
  readonly #tokens = new Map<string, Issued['resources']>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  #url = ''

  constructor(shape: keyof typeof SHAPES, resources: Record<string, unknown>) {
    this.#shape = SHAPES[shape]
    this.resources = resources
  }

  get url(): string {
    return this.#url
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port was given')
    this.#url = `http://127.0.0.1:${address.port}`
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.#url)
    this.asked.push(url)
    await this.before(url.pathname)
    const misbehaviour = this.broken.get(url.pathname)
    if (misbehaviour === 'hold') return this.onHold()
    if (misbehaviour === 'drop') {
      request.socket.destroy()
    } else if (url.pathname === this.#shape.authorize) {
      response.writeHead(302, { location: this.#authorize(url) }).end()
    } else {
      const { status, body } = misbehaviour ?? this.#serve(request, url.pathname, await text(request))
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
  }

  #serve(request: IncomingMessage, path: string, body: string): Canned {
    return path === this.#shape.token ? this.#exchange(new URLSearchParams(body)) : this.#tell(request, path)
  }

  #authorize({ searchParams }: URL): string {
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    const code = randomUUID()
    const challenge = searchParams.get('code_challenge') ?? ''
    this.codes.set(code, { challenge, redirectUri: back.href, resources: this.resources })
    const parameters = { code, state: searchParams.get('state') ?? '', ...this.redirect }
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
    return back.href
  }

  #exchange(form: URLSearchParams): Canned {
    const code = form.get('code') ?? ''
    const verifier = form.get('code_verifier') ?? ''
    const issued = this.codes.get(code)
    this.codes.delete(code)
    const isRight =
      issued?.challenge === createHash('sha256').update(verifier).digest('base64url') &&
      issued.redirectUri === form.get('redirect_uri') &&
      form.get('client_id') === 'the-client' &&
      form.get('client_secret') === 'the-secret'
    if (!issued || !isRight) return { status: 400, body: { error: 'invalid_grant' } }
    const token = randomUUID()
    this.#tokens.set(token, issued.resources)
    return { status: 200, body: { access_token: token, token_type: 'bearer' } }
  }

  #tell({ headers }: IncomingMessage, path: string): Canned {
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    const resources = this.#tokens.get(token)
    if (!resources) return { status: 401, body: { message: 'Bad credentials' } }
    if (!(path in resources)) return { status: 404, body: { message: 'Not Found' } }
    return { status: 200, body: resources[path] }
  }
}

interface Canned {
  readonly status: number
  readonly body: unknown
}

export function startPlainProvider(
  shape: keyof typeof SHAPES,
  resources: Record<string, unknown>,
): Promise<PlainProvider> {
  return new PlainProvider(shape, resources).start()
}
