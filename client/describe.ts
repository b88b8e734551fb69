import type { Connection, User } from './credentials/credentials.ts'

/** Everything about a connection that can be shown, so never a token. */
export function describe({ name, server, user, scopes, access_expires_at, refresh_token, connected_at }: Connection) {
  return { name, server, user, scopes, access_expires_at, renews: refresh_token !== null, connected_at }
}

export function nameUser(user: User | null): string {
  if (!user) return 'unknown'
  return user.name === user.email ? user.email : `${user.name} <${user.email}>`
}
