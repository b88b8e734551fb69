import type { Config } from '../../config/config.ts'
import { isPostgres } from '../../config/shards.ts'
import { placesOf } from '../../database/stores.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { EmbeddedStore } from './snapshot.ts'

export function embeddedStores(config: Config): readonly EmbeddedStore[] {
  const stores = placesOf(config).map(({ name, url }) => ({ name, path: url }))
  const elsewhere = stores.find(({ path }) => isPostgres(path))
  if (elsewhere)
    throw new OperatorError(
      `store ${elsewhere.name} is on PostgreSQL, which has its own tools; see "Backups" in docs/operations.md`,
    )
  return stores
}
