import type { Config } from '../../config/config.ts'
import { newestMigrationAt } from '../../database/migrations/migrate.ts'
import type { Meta } from '../../database/store.ts'
import { newestEntry } from '../../features/ground/events/audited-statements.ts'
import { archiver } from '../../features/ground/health/statements.ts'
import { closedKeys } from '../../features/ground/signing/keys.ts'
import { recordFindings } from '../../features/ground/troubles/troubles.ts'
import { hasInitialPassword } from '../../features/people/account/statements.ts'
import { findAdministrator } from '../../features/people/users/statements.ts'
import { openMail } from '../../platform/mail/open.ts'
import { openNames } from '../../platform/names/names.ts'
import { aesSecretBox } from '../../platform/secrets/secret-box.ts'
import { readSecrets } from '../../platform/secrets/secrets.ts'
import { isPrepared } from '../../prepare.ts'
import { type Finding, fine, note, reasonOf, wrong } from '../../rules/finding.ts'
import { refuseUnfinishedImport } from '../transfer/under-way.ts'

/** The content of the global store: administrator, settings, shards and its clock. */
export async function examineRecord(config: Config, meta: Meta, now: () => number): Promise<readonly Finding[]> {
  const unfinished = await unfinishedWork(meta)
  if (unfinished) return [unfinished]
  const secrets = await readSecrets(config).catch(() => undefined)
  const secretBox = secrets && aesSecretBox(secrets.configEncryptionKey)
  return [
    await clock(meta, now),
    await administrator(meta),
    ...(await recordFindings({
      ...{ config, meta, now, secretBox },
      mail: openMail(config, openNames(), now),
      challenge: { siteKey: config.challengeSiteKey },
    })),
    ...(secretBox ? await signingKeys({ meta, secretBox, now }) : []),
    ...(await archive(config, meta)),
  ]
}

/** Nothing else can be examined until this is finished. */
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
  const [migration, entry] = await Promise.all([newestMigrationAt(meta), newestEntry(meta.primary).executeTakeFirst()])
  const newest = Math.max(migration, entry?.created_at ?? 0)
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

async function signingKeys(place: Parameters<typeof closedKeys>[0]): Promise<readonly Finding[]> {
  const closed = await closedKeys(place)
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
  const state = await archiver(meta.primary)
  if (!state || state.mode === 'off')
    return [note('archive', 'archive_mode is off: a restore can only go back to the last pg_dump')]
  const { archived_at: archivedAt, failed_at: failedAt } = state
  if (failedAt !== null && failedAt > (archivedAt ?? 0))
    return [wrong('archive', `the last attempt failed at ${new Date(failedAt).toISOString()}`)]
  if (archivedAt === null) return [wrong('archive', 'archive_mode is on, but nothing has been archived yet')]
  return [fine('archive', `the last file was archived at ${new Date(archivedAt).toISOString()}`)]
}
