import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { withoutPassword } from '../config/listing.ts'
import { isPostgres } from '../config/shards.ts'
import { StoreUnavailable } from '../database/store.ts'
import { metaUrlOf, openMeta } from '../database/stores.ts'
import { isPrepared } from '../prepare.ts'
import { OperatorError } from '../rules/operator-error.ts'

/** Runs before a command that uses an installation: in a wrong place it must not make one. */
export async function refuseNoInstallation(config: Config): Promise<void> {
  const url = metaUrlOf(config)
  // Opening would create the file.
  if (!isPostgres(url) && !existsSync(url)) throw missing(url)
  const meta = await openMeta(config)
  try {
    if (!(await isPrepared(meta))) throw missing(url)
  } catch (cause) {
    if (cause instanceof StoreUnavailable || cause instanceof OperatorError) throw cause
    throw missing(url, { cause })
  } finally {
    await meta.close()
  }
}

function missing(url: string, options?: ErrorOptions): OperatorError {
  return new OperatorError(
    `nothing is installed in ${withoutPassword(url)}; check DATA_DIR and DATABASE_URL, or run \`gatehouse prepare\` first`,
    options,
  )
}
