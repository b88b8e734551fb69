import type { Config } from '../config/config.ts'
import { openMeta, openShard } from '../database/stores.ts'
import { replaceLostShard } from '../features/tenancy/shards/claim.ts'
import { inTurn } from '../platform/data-folder.ts'
import { migrateNewShard, migrateStores } from '../prepare.ts'
import { OperatorError } from '../rules/operator-error.ts'
import { Refusal } from '../rules/refusal.ts'
import { refuseInterruptedRestore } from './backup/restore.ts'
import { refuseNoInstallation } from './no-installation.ts'

/** Opens the stores by itself, because no other command accepts the empty store of a lost shard. */
export function replaceShard(config: Config, id: string, now: () => number): Promise<void> {
  return inTurn(config, async () => {
    refuseInterruptedRestore(config)
    await refuseNoInstallation(config)
    await replaceNow(config, id, now)
  })
}

async function replaceNow(config: Config, id: string, now: () => number): Promise<void> {
  const address = config.shards.find((shard) => shard.id === id)
  if (!address) throw new Refusal('NOT_FOUND', `${id} is not in SHARDS; add it there first.`)
  await using opened = new AsyncDisposableStack()
  const meta = opened.adopt(await openMeta(config), (store) => store.close())
  const shard = opened.adopt(await openShard(address), (store) => store.close())
  await migrateStores({ meta, shards: new Map() }, now)
  const isReplaced = await replaceLostShard({ meta, now }, shard, () => migrateNewShard(shard, now))
  if (!isReplaced) throw new OperatorError(`${id} is not lost: its store is not empty, or no users live there`)
}
