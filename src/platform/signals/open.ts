import type { Config } from '../../config/config.ts'
import { isPostgres } from '../../config/shards.ts'
import type { Meta } from '../../database/store.ts'
import type { Log } from '../log/log.ts'
import { LocalSignals, type Signals } from './signals.ts'

/** The server's driver is loaded only if the global store is on a server. */
export async function openSignals({ databaseUrl }: Config, meta: Meta, log: Log): Promise<Signals> {
  if (databaseUrl === undefined || !isPostgres(databaseUrl)) return new LocalSignals()
  const [{ isPgBouncer }, { PostgresSignals }] = await Promise.all([
    import('../../database/postgres/connection-options.ts'),
    import('./postgres.ts'),
  ])
  // Behind a PgBouncer we have no connection of our own to listen on.
  return isPgBouncer(databaseUrl) ? new LocalSignals() : new PostgresSignals(databaseUrl, meta, log)
}
