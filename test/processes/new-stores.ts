import { command, freshDatabase, schemaUrl } from '../postgres/databases.ts'
import type { Env } from './installation.ts'

/** The environment of a new database of this server: empty, or a copy. */
export async function storesIn(
  databases: AsyncDisposableStack,
  server: string,
  shards: readonly string[],
  template?: string,
): Promise<Env> {
  const { url, drop } = await freshDatabase(server, template)
  databases.defer(drop)
  if (template === undefined) await command(url, shards.map((id) => `create schema "${id}";`).join(''))
  return environmentOf(shards, (id) => schemaUrl(url, id), url)
}

/** Names these shards, and the database of the global store, to a program. */
export function environmentOf(shards: readonly string[], placeOf: (id: string) => string, database?: string): Env {
  const all = shards.map((id) => `${id}:${id.replace(/-\d$/, '')}=${placeOf(id)}`)
  return { ...(database !== undefined && { DATABASE_URL: database }), SHARDS: all.join(',') }
}
