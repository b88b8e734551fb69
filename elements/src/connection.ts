import type { Own } from './main.ts'

/** Taken before the page could replace any of it. */
export let own: Own

export function take(taken: Own): void {
  own = taken
}

const PATIENCE_MILLISECONDS = 15_000
const FIRST_RETRY_MILLISECONDS = 2_000
const LONGEST_RETRY_MILLISECONDS = 60_000

export type TokenSource = string | (() => string | null | undefined | Promise<string | null | undefined>)

export interface User {
  readonly name: string
  readonly email: string
  readonly image: string | null
}

/** `unknown` until the server has answered. A valid token may not show whose it is. */
export type State =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'out' }
  | { readonly kind: 'in'; readonly user: User | undefined }
  | { readonly kind: 'failed'; readonly error: Failed }

export class Failed extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** State shared by a page's elements with the same server and token: the user, the count, one stream. */
export class Connection {
  readonly server: string
  readonly token: TokenSource | undefined
  state: State = { kind: 'unknown' }
  unread = 0
  readonly #listeners = new Set<() => void>()
  #stream: AbortController | undefined
  #lastEventId: string | undefined
  #retry = FIRST_RETRY_MILLISECONDS
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn = 0
  /** The last user, until a sign-out: kept also while the server cannot be reached. */
  #lastIn: Extract<State, { kind: 'in' }> | undefined

  constructor(server: string, token: TokenSource | undefined) {
    this.server = server
    this.token = token
    document.addEventListener('visibilitychange', () => void this.#look())
  }

  /** Returns a function that takes the listener away. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) void this.begin()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  get isByToken(): boolean {
    return this.token !== undefined
  }

  async begin(): Promise<void> {
    const state = await this.#asked()
    if (!state) return
    this.#become(state)
    if (state.kind !== 'failed') this.#retry = FIRST_RETRY_MILLISECONDS
    else if (isPassing(state.error)) this.#later(() => this.begin())
  }

  /** Another user can have signed in at this browser while the page was hidden. */
  async #look(): Promise<void> {
    const { kind } = this.state
    if (document.hidden || this.#listeners.size === 0) return this.#follow()
    if (kind === 'failed') return this.begin()
    const state = kind === 'in' ? await this.#asked() : undefined
    // Without a network everything stays as it is, and the stream resumes when it can.
    if (!state || (state.kind === 'failed' && isPassing(state.error))) this.#follow()
    else this.#become(state)
  }

  /** Undefined if another request followed meanwhile, or the user has signed out. */
  async #asked(): Promise<State | undefined> {
    this.#turn += 1
    const turn = this.#turn
    const state = await this.#readState().catch(stateAfter)
    return turn === this.#turn ? state : undefined
  }

  #later(act: () => unknown): void {
    clearTimeout(this.#timer)
    if (this.#listeners.size === 0) return
    this.#timer = setTimeout(act, this.#retry * (1 + Math.random()))
    this.#retry = Math.min(this.#retry * 2, LONGEST_RETRY_MILLISECONDS)
  }

  async signOut(): Promise<void> {
    if (!this.isByToken) await this.call('/api/auth/sign-out', {})
    this.#turn += 1
    this.#become({ kind: 'out' })
  }

  async call<Answer>(path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const { state } = this
    const response = await this.#request(path, {
      ...(body && { method: 'POST', body: own.stringify(body) }),
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    })
    const text = await response.text()
    if (response.ok) return own.parse(text)
    const { code } = parsed(text)
    // A late response can be about the previous user.
    if (response.status === 401 && state === this.state) this.#become({ kind: 'out' })
    throw new Failed(response.status, typeof code === 'string' ? code : 'UNKNOWN')
  }

  /** A function can have returned a token that has ended meanwhile, so it is called once more. */
  async #request(path: string, init: RequestInit): Promise<Response> {
    const token = await this.#tokenNow()
    const response = await this.#send(path, init, token)
    if (response.status !== 401 || typeof this.token !== 'function') return response
    const next = await this.#tokenNow()
    return next && next !== token ? this.#send(path, init, next) : response
  }

  #send(path: string, init: RequestInit, token: string | null | undefined): Promise<Response> {
    const authorization = token ? { authorization: `Bearer ${token}` } : {}
    return own.fetch(this.server + path, {
      ...init,
      credentials: this.isByToken ? 'omit' : 'include',
      cache: 'no-store',
      headers: { ...init.headers, ...authorization },
    })
  }

  async #tokenNow(): Promise<string | null | undefined> {
    const token = typeof this.token === 'function' ? await this.token() : this.token
    return typeof token === 'string' ? token : undefined
  }

  async #readState(): Promise<State> {
    if (this.isByToken && !(await this.#tokenNow())) return { kind: 'out' }
    const session = await this.call<{ user?: User } | null>('/api/auth/get-session').catch(unlessForbidden)
    if (session?.user) return { kind: 'in', user: session.user }
    if (!this.isByToken) return { kind: 'out' }
    // The token of an application can say who it is for in OpenID Connect's way, or not at all.
    const claims = await this.call<{ name?: string; email?: string; picture?: string }>('/api/oauth/userinfo').catch(
      unlessForbidden,
    )
    const { name = '', email = '', picture = null } = claims ?? {}
    return { kind: 'in', user: claims ? { name: name || email, email, image: picture } : undefined }
  }

  /** Data read for one user is dropped before there is another. */
  #become(state: State): void {
    const former = this.state
    const last = this.#lastIn
    if (last && state.kind === 'in' && last.user?.email !== state.user?.email) this.#set({ kind: 'out' })
    if (own.stringify(former) === own.stringify(state)) this.#follow()
    else this.#set(state)
  }

  #set(state: State): void {
    this.state = state
    if (state.kind === 'in') this.#lastIn = state
    else this.unread = 0
    if (state.kind === 'out') this.#lastIn = undefined
    this.#tell()
    this.#follow()
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  async recount(): Promise<void> {
    const { state } = this
    try {
      const { count } = await this.call<{ count: number }>('/api/count_unread_notifications', {})
      if (state === this.state) this.unread = count
    } catch {
      // The count stays as it was; the stream corrects it.
    }
    this.#tell()
  }

  /** Follows only while the page is visible: browsers open few connections to one server. */
  #follow(): void {
    const isWanted = this.state.kind === 'in' && this.#listeners.size > 0 && !document.hidden
    if (!isWanted) this.#stop()
    else if (!this.#stream) void this.#read()
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#stream?.abort()
    this.#stream = undefined
  }

  async #read(): Promise<void> {
    const stream = new AbortController()
    this.#stream = stream
    try {
      const since = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId }
      const { signal } = stream
      const response = await this.#request('/api/live', {
        headers: { accept: 'text/event-stream', ...since },
        signal,
      })
      if (response.status === 401) return this.#become({ kind: 'out' })
      if (!response.ok || !response.body) throw new Failed(response.status, 'LIVE')
      this.#retry = FIRST_RETRY_MILLISECONDS
      await this.#readEvents(response.body)
    } catch {
      if (!stream.signal.aborted) await this.recount()
    }
    if (this.#stream !== stream) return
    this.#later(() => {
      this.#stream = undefined
      this.#follow()
    })
  }

  async #readEvents(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.split(':')[0], line.replace(/^[^:]*: ?/, '')]))
    this.#lastEventId = fields.get('id') ?? this.#lastEventId
    const event = fields.get('event')
    if (event === 'unread') {
      this.unread = Number(parsed(fields.get('data') ?? '').count) || 0
      this.#tell()
    } else if (event === 'signed_out') void this.begin()
    else if (event) void this.recount()
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return own.parse(text) ?? {}
  } catch {
    return {}
  }
}

function stateAfter(error: unknown): State {
  const failed = failedOf(error)
  return failed.status === 401 ? { kind: 'out' } : { kind: 'failed', error: failed }
}

function isPassing({ status }: Failed): boolean {
  return status === 0 || status === 429 || status >= 500
}

function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof Failed) || error.status !== 403) throw error
}

export function failedOf(error: unknown): Failed {
  return error instanceof Failed ? error : new Failed(0, 'NETWORK')
}

const connections = new Map<string, Map<TokenSource | undefined, Connection>>()

export function connectionTo(server: string, token: TokenSource | undefined): Connection {
  const ofServer = connections.get(server) ?? new Map<TokenSource | undefined, Connection>()
  connections.set(server, ofServer)
  const connection = ofServer.get(token) ?? new Connection(server, token)
  ofServer.set(token, connection)
  return connection
}
