import type { Config } from '../../config/config.ts'
import { newestMigrationAt } from '../../database/migrations/migrate.ts'
import type { Meta } from '../../database/store.ts'
import { readSettings } from '../../features/ground/settings/current-settings.ts'
import type { Settings } from '../../features/ground/settings/model.ts'
import { closedKeys } from '../../features/ground/signing/keys.ts'
import { findTroubles, type Trouble } from '../../features/ground/troubles/troubles.ts'
import { hasInitialPassword } from '../../features/people/account/statements.ts'
import { findAdministrator } from '../../features/people/users/statements.ts'
import { shardsInUse } from '../../features/tenancy/shards/claim.ts'
import { listedShards } from '../../features/tenancy/shards/statements.ts'
import { openMail } from '../../platform/mail/open.ts'
import { openNames } from '../../platform/names/names.ts'
import { aesSecretBox } from '../../platform/secrets/secret-box.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { isPrepared } from '../../prepare.ts'
import { refuseUnfinishedImport } from '../transfer/under-way.ts'
import { type Finding, fine, note, reasonOf, wrong } from './finding.ts'
import * as store from './store.ts'

/** The content of the global store: administrator, settings, shards and its clock. */
export async function examineRecord(config: Config, meta: Meta, now: () => number): Promise<readonly Finding[]> {
  const unfinished = await unfinishedWork(meta)
  if (unfinished) return [unfinished]
  const settings = await readSettings(meta)
  const secrets = await readSecrets(config).catch(() => undefined)
  const troubles = await findTroubles({
    ...{ config, meta, now },
    mail: openMail(config, openNames(), now),
    challenge: { siteKey: config.challengeSiteKey },
    secretBox: secrets && aesSecretBox(secrets.configEncryptionKey),
  })
  return [
    await clock(meta, now),
    await administrator(meta),
    ...troubles,
    ...(await shards(config, meta)),
    ...mail(settings, troubles),
    ...(await signingKeys(config, meta, now)),
    ...(await archive(config, meta)),
  ]
}

/** The rest is not there to be examined until this is finished. */
async function unfinishedWork(meta: Meta): Promise<Finding | undefined> {
  try {
    await refuseUnfinishedImport(meta)
  } catch (error) {
    return wrong('import', reasonOf(error))
  }
  if (await isPrepared(meta)) return undefined
  return wrong('preparation', 'it was not finished; run `gatehouse prepare`')
}

const TOLERATED_MILLISECONDS = 2_000

async function clock(meta: Meta, now: () => number): Promise<Finding> {
  const newest = await newestMigrationAt(meta)
  const words = `it is ${new Date(now()).toISOString()}`
  if (newest - now() <= TOLERATED_MILLISECONDS) return fine('clock', words)
  return wrong('clock', `${words}, but some data has a later time, ${new Date(newest).toISOString()}`)
}

async function administrator(meta: Meta): Promise<Finding> {
  const found = await findAdministrator(meta)
  if (!found) return wrong('administrator', 'there is none yet; run `gatehouse prepare`')
  if (await hasInitialPassword(meta, found.id))
    return note('administrator', `${found.email} still has the password that was printed; change it`)
  return fine('administrator', found.email)
}

async function shards(config: Config, meta: Meta): Promise<readonly Finding[]> {
  const [registered, inUse] = await Promise.all([listedShards(meta), shardsInUse(meta)])
  const configured = new Set(config.shards.map(({ id }) => id))
  const absent = registered.filter(({ id }) => !configured.has(id) && inUse.get(id) !== 'inhabited')
  const known = new Set(registered.map(({ id }) => id))
  const unused = config.shards.filter(({ id }) => !known.has(id))
  const active = registered.filter(({ id, state }) => configured.has(id) && state === 'active')
  return [
    ...absent.map(({ id }) => note('shards', `${id} is not in SHARDS, and nobody lives there`)),
    ...unused.map(({ id }) =>
      note('shards', `${id} is not in use; when every process has it in SHARDS, run \`gatehouse shards add ${id}\``),
    ),
    ...(active.length > 0 ? [fine('shards', `${active.length} of ${registered.length} take new users`)] : []),
  ]
}

function mail({ email }: Settings, troubles: readonly Trouble[]): readonly Finding[] {
  if (email.provider === null) return [note('mail', 'no provider is chosen: nobody can reset a password by mail')]
  if (troubles.some(({ about }) => about === 'mail')) return []
  return [fine('mail', `sent through ${email.provider}`)]
}

async function signingKeys(config: Config, meta: Meta, now: () => number): Promise<readonly Finding[]> {
  const secrets = await readSecrets(config).catch(() => undefined)
  if (!secrets) return []
  const closed = await closedKeys({ meta, secretBox: aesSecretBox(secrets.configEncryptionKey), now })
  if (closed.length === 0) return []
  return [
    wrong(
      'signing keys',
      `${closed.length} sealed under another key, so tokens cannot be signed; put the former CONFIG_ENCRYPTION_KEY or secrets.json back, or start again, which makes new ones`,
    ),
  ]
}

/** PostgreSQL's own archive of its log, if it is switched on. */
async function archive({ databaseUrl }: Config, meta: Meta): Promise<readonly Finding[]> {
  if (databaseUrl === undefined) return []
  const state = await store.archiver(meta)
  if (!state || state.mode === 'off')
    return [note('archive', 'archive_mode is off: a restore can only go back to the last pg_dump')]
  const { archived_at: archivedAt, failed_at: failedAt } = state
  if (failedAt !== null && failedAt > (archivedAt ?? 0))
    return [wrong('archive', `the last attempt failed at ${new Date(failedAt).toISOString()}`)]
  if (archivedAt === null) return [wrong('archive', 'archive_mode is on, but nothing has been archived yet')]
  return [fine('archive', `the last file was archived at ${new Date(archivedAt).toISOString()}`)]
}
