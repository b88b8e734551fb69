import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { withoutPassword } from '../config/listing.ts'
import { isPostgres } from '../config/shards.ts'
import { StoreUnavailable } from '../database/store.ts'
import { metaUrlOf, openMeta } from '../database/stores.ts'
import { isPrepared } from '../prepare.ts'

/** A line for the operator, not a bug. */
class NoInstallation extends Error {
  override readonly name = 'NoInstallation'

  constructor(url: string, options?: ErrorOptions) {
    super(
      `there is no installation in ${withoutPassword(url)}; check DATA_DIR and DATABASE_URL, or run \`gatehouse prepare\` first`,
      options,
    )
  }
}

/** Before a command that uses an installation: in a wrong place it must not make one. */
export async function refuseNoInstallation(config: Config): Promise<void> {
  const url = metaUrlOf(config)
  // Opening would create the file.
  if (!isPostgres(url) && !existsSync(url)) throw new NoInstallation(url)
  const meta = await openMeta(config)
  try {
    if (!(await isPrepared(meta))) throw new NoInstallation(url)
  } catch (cause) {
    if (cause instanceof StoreUnavailable || cause instanceof NoInstallation) throw cause
    throw new NoInstallation(url, { cause })
  } finally {
    await meta.close()
  }
}
