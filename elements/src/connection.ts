import { Failed } from './failed.ts'
import { Followed } from './followed.ts'
import { type LiveEvent, LiveEvents } from './live-events.ts'
import { readOrganizations } from './organizations.ts'
import { own, parsed } from './own.ts'
import { Requests, type TokenSource } from './requests.ts'
import { isPassing, readState, type State, stateAfter } from './state.ts'

const PATIENCE_MILLISECONDS = 15_000
const FIRST_RETRY_MILLISECONDS = 2_000
const LONGEST_RETRY_MILLISECONDS = 60_000

/** What the product keeps with the user, and what the user tells it. */
interface UserData {
  readonly public: Readonly<Record<string, unknown>>
  readonly own: Readonly<Record<string, unknown>>
}

/** Paths that say or change whose the browser is. */
const OF_THE_BROWSER = /^\/api\/(auth\/(get-session|sign-out|multi-session\/)|client_config)/

/** State shared by a page's elements with the same server and token: the user, the count, one stream. */
export class Connection {
  state: State = { kind: 'unknown' }
  unread = 0
  readonly organizations = this.#followed(() => readOrganizations(this))
  readonly data = this.#followed(() => this.call<UserData>('/api/get_data', {}))
  readonly #requests: Requests
  readonly #live: LiveEvents
  readonly #listeners = new Set<() => void>()
  #stream: AbortController | undefined
  #retry = FIRST_RETRY_MILLISECONDS
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn = 0
  /** The last user, until a sign-out: kept also while the server cannot be reached. */
  #lastIn: Extract<State, { kind: 'in' }> | undefined

  constructor(server: string, token: TokenSource | undefined) {
    this.#requests = new Requests(server, token)
    this.#live = new LiveEvents(this.#requests)
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
    return this.#requests.isByToken
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
    const state = await readState(this.#requests, this.call).catch(stateAfter)
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

  /** Null for none. A token acts in one for good. */
  async switchOrganization(organizationId: string | null): Promise<void> {
    await this.call('/api/auth/organization/set-active', { organizationId })
    await this.begin()
  }

  readonly call = async <Answer>(
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const { state } = this
    const response = await this.#requests.send(path, {
      ...(body && { method: 'POST', body: own.stringify(body) }),
      headers: { ...this.#account(path), ...headers, ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    })
    const text = await response.text()
    if (response.ok) return own.parse(text)
    const { code } = parsed(text)
    // A late response can be about the previous user.
    if (response.status === 401 && state === this.state) this.#become({ kind: 'out' })
    throw new Failed(response.status, typeof code === 'string' ? code : 'UNKNOWN')
  }

  /** Nothing is done for an account that the page does not show. */
  #account(path: string): Record<string, string> {
    const id = this.state.kind === 'in' && !this.isByToken ? this.state.user?.id : undefined
    return id === undefined || OF_THE_BROWSER.test(path) ? {} : { 'x-account-id': id }
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
    for (const followed of [this.organizations, this.data]) followed.become(state.kind === 'out')
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
      for await (const event of this.#live.stream(stream.signal, this.#account('/api/live'))) {
        this.#retry = FIRST_RETRY_MILLISECONDS
        this.#take(event)
      }
    } catch (error) {
      if (error instanceof Failed && error.status === 401) return this.#become({ kind: 'out' })
      if (error instanceof Failed && error.status === 409) return this.#goOnAsAnother(stream)
      if (!stream.signal.aborted) await this.recount()
    }
    if (this.#stream !== stream) return
    this.#later(() => {
      this.#stream = undefined
      this.#follow()
    })
  }

  /** The user has switched accounts in another window. */
  #goOnAsAnother(stream: AbortController): void {
    if (this.#stream === stream) this.#stream = undefined
    void this.begin()
  }

  #take({ name, data }: LiveEvent): void {
    if (name === 'unread') {
      this.unread = Number(parsed(data).count) || 0
      this.#tell()
    } else if (name === 'organization' || name === 'data') this.#readAgain()
    else if (name === 'signed_out') void this.begin()
    else if (name) void this.recount()
    if (name === 'missed') this.#readAgain()
  }

  #readAgain(): void {
    void this.begin()
    void this.organizations.read()
    void this.data.read()
  }

  #followed<Value>(ask: () => Promise<Value>): Followed<Value> {
    return new Followed(
      () => (this.state.kind === 'in' ? ask() : undefined),
      () => this.#tell(),
    )
  }
}

const connections = new Map<string, Map<TokenSource | undefined, Connection>>()

export function connectionTo(server: string, token: TokenSource | undefined): Connection {
  const ofServer = connections.get(server) ?? new Map<TokenSource | undefined, Connection>()
  connections.set(server, ofServer)
  const connection = ofServer.get(token) ?? new Connection(server, token)
  ofServer.set(token, connection)
  return connection
}
