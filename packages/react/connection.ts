/**
 * The functions `/elements.js` exports beside its elements: one connection for each server and token, shared with them.
 */
export interface Connection {
  readonly state: State
  readonly unread: number
  listen(listener: () => void): () => void
  readonly organizations: Followed<{ readonly items: readonly Organization[] }>
  readonly data: Followed<UserData>
  switchOrganization(id: string | null): Promise<void>
  call<Answer>(path: string, body?: object, headers?: Record<string, string>): Promise<Answer>
  recount(): Promise<void>
  signOut(): Promise<void>
}

/** It is read once somebody follows it, and kept up to date from then on. */
export interface Followed<Value> {
  readonly value: Value | undefined
  readonly error: GatehouseFailure | undefined
  follow(): void
}

interface Elements {
  connect(server: string, token: TokenSource | undefined): Promise<Connection>
}

export type TokenSource = string | (() => string | null | undefined | Promise<string | null | undefined>)

export interface User {
  readonly name: string
  readonly email: string
  readonly image: string | null
}

/** An organisation that the user is a member of. */
export interface Organization {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly logo: string | null
  readonly roles: readonly string[]
  /** While it is, its members cannot act in it. */
  readonly suspended: boolean
}

/** The product writes the `public` part; the user writes the `own` part, which is not to be trusted. */
export interface UserData {
  readonly public: Readonly<Record<string, unknown>>
  readonly own: Readonly<Record<string, unknown>>
}

/** `code` is `NETWORK`, with a status of 0, if the server could not be reached. */
export interface GatehouseFailure extends Error {
  readonly status: number
  readonly code: string
}

export type State =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'out' }
  | { readonly kind: 'in'; readonly user: User | undefined; readonly organizationId: string | null }
  | { readonly kind: 'failed'; readonly error: GatehouseFailure }

/** Loads the connection from the server, as the script tag does: never older than the server, and once for both. */
export async function connectTo(server: string, token: TokenSource | undefined): Promise<Connection> {
  const { origin } = new URL(server)
  const script = `${origin}/elements.js`
  const { connect }: Elements = await import(/* webpackIgnore: true */ /* @vite-ignore */ script)
  return connect(origin, token)
}

export function failureOf(error: unknown): GatehouseFailure {
  if (error instanceof Error && 'status' in error && 'code' in error) return error as GatehouseFailure
  const message = error instanceof Error ? error.message : String(error)
  return Object.assign(new Error(message, { cause: error }), { status: 0, code: 'NETWORK' })
}
