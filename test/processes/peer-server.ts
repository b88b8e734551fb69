import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

interface Heard {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Canned {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

type Write = (request: IncomingMessage, response: ServerResponse) => void

/**
 * `drop` breaks the connection without an answer; `hold` leaves the client waiting until it is released; a function
 * writes what it likes.
 */
export type Reaction = Canned | Write | 'drop' | 'hold'

const minute = 60_000

/**
 * A server that acts like Gatehouse towards the client and misbehaves when a test says so: lost responses,
 * foreign redirects, odd refusals. The behaviour of a correct server is tested with the real service.
 */
export class PeerServer {
  readonly heard: Heard[] = []
  url = ''
  readonly #reactions = new Map<string, Reaction[]>()
  #grants = 0
  readonly #held = new Map<string, ServerResponse>()
  readonly #hearing = new EventEmitter()
  readonly #live = new Set<string>()
  /** The clients run in the same process, and one that computes for long still has its connection. */
  readonly #server = createServer({ keepAliveTimeout: 0 }, (request, response) => void this.#answer(request, response))

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port was given')
    this.url = `http://127.0.0.1:${address.port}`
    return this
  }

  /** The next requests to `path` get these, in order; afterwards the server behaves again. */
  next(path: string, ...reactions: Reaction[]): void {
    this.#reactions.set(path, [...(this.#reactions.get(path) ?? []), ...reactions])
  }

  heardAt(path: string): Heard[] {
    return this.heard.filter((heard) => heard.path === path)
  }

  /** Resolves with the next request to `path`. */
  async hears(path: string): Promise<void> {
    await once(this.#hearing, path)
  }

  release(path: string, canned: Canned): void {
    const response = this.#held.get(path)
    if (!response) throw new Error(`nobody waits at ${path}`)
    give(response, canned)
  }

  /** Does what revoking every grant on the page would do. */
  revokeAll(): void {
    this.#live.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const heard = { method, path: url, headers, body: await text(request) }
    this.heard.push(heard)
    this.#hearing.emit(url)
    const reaction = this.#reactions.get(url)?.shift() ?? this.#behave(heard)
    if (reaction === 'drop') {
      request.socket.destroy()
      return
    }
    if (typeof reaction === 'function') reaction(request, response)
    else if (reaction === 'hold') this.#held.set(url, response)
    else give(response, reaction)
  }

  #behave(heard: Heard): Canned {
    if (heard.path === '/.well-known/oauth-authorization-server') return { body: this.#metadata() }
    if (heard.path === '/api/oauth/device_authorization') return { body: this.#device() }
    if (heard.path === '/api/oauth/token') return this.#token(new URLSearchParams(heard.body))
    if (heard.path === '/api/oauth/revoke') return this.#revoke(new URLSearchParams(heard.body))
    if (!this.#accepts(heard)) {
      return {
        status: 401,
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
        body: { code: 'UNAUTHORIZED', message: 'Sign in first.' },
      }
    }
    if (heard.path === '/api/auth/get-session') return { body: { session: {}, user: ann } }
    return { body: { heard: heard.body } }
  }

  #accepts({ headers }: Heard): boolean {
    return this.#live.has((headers.authorization ?? '').replace('Bearer ', ''))
  }

  #token(form: URLSearchParams): Canned {
    const refresh = form.get('refresh_token')
    if (refresh !== null && !this.#live.delete(refresh)) return { status: 400, body: { error: 'invalid_grant' } }
    this.#grants += 1
    const access = `access-${this.#grants}`
    const successor = `refresh-${this.#grants}`
    this.#live.add(access).add(successor)
    return {
      body: {
        access_token: access,
        refresh_token: successor,
        token_type: 'Bearer',
        expires_in: (15 * minute) / 1000,
        scope: 'api_access offline_access account:profile:read',
      },
    }
  }

  #revoke(form: URLSearchParams): Canned {
    const number = form.get('token')?.split('-')[1]
    this.#live.delete(`access-${number}`)
    this.#live.delete(`refresh-${number}`)
    return { body: '' }
  }

  #device() {
    return {
      device_code: 'the-device-code',
      user_code: 'BCDF-GHJK',
      verification_uri: `${this.url}/oauth/authorize`,
      verification_uri_complete: `${this.url}/oauth/authorize?user_code=BCDF-GHJK`,
      expires_in: 600,
      interval: 5,
    }
  }

  #metadata() {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/oauth/authorize`,
      device_authorization_endpoint: `${this.url}/api/oauth/device_authorization`,
      token_endpoint: `${this.url}/api/oauth/token`,
      revocation_endpoint: `${this.url}/api/oauth/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }
  }
}

function give(response: ServerResponse, { status = 200, body, headers }: Canned): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const ann = { id: 'u1', email: 'ann@example.com', name: 'Ann' }

export function startPeer(): Promise<PeerServer> {
  return new PeerServer().start()
}
