import { isPostgres } from '../../config/shards.ts'
import { placesOf } from '../../database/stores.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { Copy, From } from './copy.ts'
import { copyFiles } from './embedded-copy.ts'

/** Everything that can be refused is refused before anything is copied. */
export async function copyStores(from: From): Promise<Copy> {
  const { config, archive, scratch } = from
  const stores = placesOf(config)
  const onServer = stores.find(({ url }) => isPostgres(url))
  const inFile = stores.find(({ url }) => !isPostgres(url))
  if (onServer && inFile)
    throw new OperatorError(
      `${onServer.name} is on PostgreSQL and ${inFile.name} is a file; stores of one kind can be rehearsed`,
    )
  await readSecrets(config)
  if (inFile) {
    if (scratch !== undefined) throw new OperatorError('--scratch is for stores on PostgreSQL, and these are files')
    return copyFiles(from)
  }
  if (archive !== undefined)
    throw new OperatorError('ARCHIVE is for embedded stores; stores on PostgreSQL are copied as they are')
  if (scratch === undefined)
    throw new OperatorError('the stores are on PostgreSQL; name an empty database for the copy with --scratch')
  const { copyDatabases } = await import('./scratch/scratch-copy.ts')
  return copyDatabases(from, scratch)
}
