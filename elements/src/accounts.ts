import type { Connection } from './connection.ts'
import type { User } from './state.ts'

/** An account that is signed in in this browser. */
export interface Account {
  readonly user: User
  readonly session: { readonly token: string }
}

interface Accounts {
  readonly accounts: readonly Account[]
  readonly most: number
}

/** The accounts of this browser, the active one first, and how many it can have. */
export async function accountsOf({ state, isByToken, call }: Connection): Promise<Accounts> {
  const isActing = state.kind === 'in' && state.isActedBy
  if (isByToken || isActing) return { accounts: [], most: 1 }
  const [accounts, config] = await Promise.all([
    call<readonly Account[]>('/api/auth/multi-session/list-device-sessions'),
    call<{ accounts_per_browser?: number }>('/api/client_config'),
  ])
  return { accounts, most: config.accounts_per_browser ?? 1 }
}

export async function switchTo(connection: Connection, { session }: Account): Promise<void> {
  await connection.call('/api/auth/multi-session/set-active', { sessionToken: session.token })
  await connection.begin()
}

/** If it was the active one, the next becomes active. */
export async function leave(connection: Connection, { session }: Account): Promise<void> {
  await connection.call('/api/auth/multi-session/revoke', { sessionToken: session.token })
  await connection.begin()
}

/** The administrator's own session comes back. */
export async function stopActing({ call }: Connection): Promise<void> {
  await call('/api/auth/admin/stop-impersonating', {})
  location.reload()
}
