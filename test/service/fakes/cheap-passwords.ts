import { readConfig } from '../../../src/config/config.ts'
import { closeStores, openStores } from '../../../src/database/stores.ts'
import { prepareStores } from '../../../src/prepare.ts'

/** The first preparation of the stores fixes the cost of passwords. */
export async function makePasswordsCheap(env: Readonly<Record<string, string>>): Promise<void> {
  const config = readConfig(env)
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, 1)
  await closeStores(stores)
}
