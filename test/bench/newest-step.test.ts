import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { it } from 'vitest'
import { versionBefore } from '../../bench/measures/million/fill.ts'
import { readConfig } from '../../src/config/config.ts'
import { metaMigrations } from '../../src/database/migrations/meta.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { isShared } from '../../src/database/sql/row-lock.ts'
import { closeStores } from '../../src/database/stores.ts'
import { openPatiently } from '../postgres/held-user.ts'
import { freshStores } from '../service/stores/fresh-stores.ts'

it('the newest schema steps run again on a store that the measure of a million has rolled back', async () => {
  const fresh = await freshStores(readConfig({ DATA_DIR: '/nowhere' }))
  const stores = await openPatiently(fresh.config)
  const { meta } = stores
  await migrate(meta, metaMigrations, 0)

  for (const step of versionBefore(isShared(meta) ? 'PostgreSQL' : 'SQLite')) await sql.raw(step).execute(meta)
  await migrate(meta, metaMigrations, 1)

  const names = await meta.primary.selectFrom('schema_migration').select('name').execute()
  assert.equal(names.length, metaMigrations.length)
  await closeStores(stores)
  await fresh.drop()
})
