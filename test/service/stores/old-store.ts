import { sql } from 'kysely'
import { readConfig } from '../../../src/config/config.ts'
import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import { migrate } from '../../../src/database/migrations/migrate.ts'
import { isShared } from '../../../src/database/sql/row-lock.ts'
import { closeStores } from '../../../src/database/stores.ts'
import { openPatiently } from '../../postgres/held-user.ts'
import { freshStores } from './fresh-stores.ts'

/** The global store as a release with this last migration leaves it. */
export async function oldStore(last: string) {
  const fresh = await freshStores(readConfig({ DATA_DIR: '/nowhere' }))
  const stores = await openPatiently(fresh.config)
  const { meta } = stores
  // On PostgreSQL, every test begins with a copy of a migrated database.
  const empty = 'drop schema public cascade; create schema public; grant usage on schema public to public'
  if (isShared(meta)) await sql.raw(empty).execute(meta)
  await migrate(meta, upTo(last), 0)
  return {
    meta,
    config: fresh.config,
    url: fresh.config.databaseUrl ?? '',
    async [Symbol.asyncDispose]() {
      await closeStores(stores)
      await fresh.drop()
    },
  }
}

export function upTo(last: string) {
  return metaMigrations.slice(0, metaMigrations.findIndex(({ name }) => name === last) + 1)
}
