import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { prepareStores } from '../../src/prepare.ts'
import { prepare } from '../../src/serve.ts'
import { temporaryFolder } from './temporary-folder.ts'

let template: Promise<string> | undefined

/** A data folder as `gatehouse prepare` leaves it, with an administrator; prepared once and copied for each test. */
export async function preparedFolder(): Promise<string> {
  template ??= prepareTemplate()
  const folder = temporaryFolder()
  cpSync(await template, folder, { recursive: true })
  return folder
}

async function prepareTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-prepared-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await prepareAt({ DATA_DIR: folder })
  return folder
}

/** Prepares whatever the environment names, with passwords that cost little. */
export async function prepareAt(environment: Readonly<Record<string, string>>): Promise<void> {
  const config = readConfig(environment)
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, 1)
  await closeStores(stores)
  await (await prepare(config)).platform.close()
}
