import type { Config } from '../../config/config.ts'
import { isPostgres } from '../../config/shards.ts'
import { metaUrlOf } from '../../database/stores.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { EmbeddedStore } from './snapshot.ts'

/** The global store first, then the shards in the order of the configuration. */
export function embeddedStores(config: Config): readonly EmbeddedStore[] {
  const stores = [
    { name: 'meta', path: metaUrlOf(config) },
    ...config.shards.map(({ id, url }) => ({ name: id, path: url })),
  ]
  const elsewhere = stores.find(({ path }) => isPostgres(path))
  if (elsewhere)
    throw new OperatorError(
      `store ${elsewhere.name} is on PostgreSQL, which has its own tools; see "Backups" in docs/operations.md`,
    )
  return stores
}
