import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { Overtaken, overtakenIfTaken, untilNotOvertaken } from '../../database/overtaken.ts'
import { type Meta, StoreUnavailable } from '../../database/store.ts'
import { applicationsAsFile, planApplications, storedApplications } from '../../features/access/applications/as-code.ts'
import { planScopes, scopesAsFile, storedScopes } from '../../features/access/product-scopes/as-code.ts'
import { planWebhooks, storedWebhooks, webhooksAsFile } from '../../features/delivery/webhooks/as-code.ts'
import { type Doer, decide } from '../../features/ground/acts/acts.ts'
import { type Environment, PartsOfFile, partsAsFile, planParts } from '../../features/ground/settings/as-code/parts.ts'
import type { Difference, Rest } from '../../features/ground/settings/as-code/section.ts'
import { readSettings } from '../../features/ground/settings/current-settings.ts'
import { currentRevision, lockedRevision } from '../../features/ground/settings/statements.ts'
import type { Platform } from '../../platform/platform.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { SettingsFile } from './file.ts'
import { SecretsFile } from './secrets-file.ts'

const SCHEMA = './settings.schema.json'

/** Everything but secrets, and the number of applications and webhooks that a file cannot have, for want of a key. */
export async function settingsAsFile({ meta }: Pick<Platform, 'meta'>) {
  const { settings, scopes, applications, webhooks } = await stored(meta)
  const file: SettingsFile = {
    $schema: SCHEMA,
    ...(await z.object(PartsOfFile).parseAsync(partsAsFile(settings))),
    applications: [...applicationsAsFile(applications)],
    product_scopes: [...scopesAsFile(scopes)],
    webhooks: [...webhooksAsFile(webhooks)],
  }
  return { file, withoutKey: [...applications, ...webhooks].filter(({ key }) => key === null).length }
}

interface How {
  readonly environment?: Environment
  /** What is not in the file is kept, unless it says otherwise. */
  readonly rest?: Rest
}

/** What an apply of the file would change. Throws if it could not be applied. */
export async function planSettings(
  platform: Platform,
  file: SettingsFile,
  how: How = {},
): Promise<readonly Difference[]> {
  const { sections } = await untilNotOvertaken(platform.meta, () => planned({ platform }, file, how))
  return sections.flatMap(({ differences }) => differences)
}

/** All of it in one commit, or nothing. Runs again if anything that it depends on is changed before the commit. */
export async function applySettings(
  doer: Doer,
  file: SettingsFile,
  { secretsOut, ...how }: How & { readonly secretsOut?: string | undefined } = {},
): Promise<readonly Difference[]> {
  const secretsFile = secretsOut === undefined ? undefined : new SecretsFile(secretsOut)
  try {
    const differences = await untilNotOvertaken(doer.platform.meta, () => apply(doer, file, how, secretsFile))
    await secretsFile?.close()
    return differences
  } catch (error) {
    // The commit may have arrived all the same.
    if (error instanceof StoreUnavailable) await secretsFile?.close()
    else await secretsFile?.remove()
    throw error
  }
}

async function apply(doer: Doer, file: SettingsFile, how: How, secretsFile: SecretsFile | undefined) {
  const { meta } = doer.platform
  const { sections, rows } = await planned(doer, file, how)
  const differences = sections.flatMap((section) => section.differences)
  await keepSecrets(sections, secretsFile)
  if (differences.length === 0) return differences
  const { locks, reads } = statements(meta)
  await decide(doer, [...locks, ...reads], async (act, ...held) => {
    if (!isDeepStrictEqual(held.slice(locks.length), rows)) throw new Overtaken('something was changed in between')
    for (const section of sections) section.write(act)
  }).catch(overtakenIfTaken)
  return differences
}

type Sections = Awaited<ReturnType<typeof planned>>['sections']

async function keepSecrets(sections: Sections, file: SecretsFile | undefined): Promise<void> {
  const [settings, , applications, webhooks] = sections
  const secrets = { ...settings.secrets, applications: applications.secrets, webhooks: webhooks.secrets }
  const made = Object.entries(secrets).flatMap(([section, ofKeys]) =>
    Object.keys(ofKeys).map((key) => `${section}.${key}`),
  )
  if (made.length === 0) return file?.remove()
  if (!file)
    throw new OperatorError(`${made.join(', ')}: a secret would be made; name a file for it with --secrets-out`)
  await file.write(secrets)
}

async function planned(doer: Doer, file: SettingsFile, { environment = {}, rest = 'kept' }: How) {
  const { platform } = doer
  const { settings, rows, ...now } = await stored(platform.meta)
  const declared = new Set([...now.scopes, ...(file.product_scopes ?? [])].map(({ scope }) => scope))
  const applications = await planApplications(platform, {
    rows: now.applications,
    entries: file.applications,
    ...{ rest, declared, environment },
  })
  const { used } = applications
  const sections = [
    await planParts(doer, settings, file, environment),
    planScopes(platform, { rows: now.scopes, entries: file.product_scopes, rest, used }),
    applications,
    planWebhooks(platform, { rows: now.webhooks, entries: file.webhooks, rest }),
  ] as const
  return { sections, rows }
}

async function stored(meta: Meta) {
  const { reads } = statements(meta)
  const rows = await meta.snapshot(reads, 'primary')
  const [[revision], scopes, applications, webhooks] = rows
  const settings = await readSettings(meta)
  if (settings.revision !== revision?.revision) throw new Overtaken('settings were saved in between')
  return { settings, scopes, applications, webhooks, rows }
}

/** Everything that a file can have, in the order of the locks. */
function statements(meta: Meta) {
  const [scopes, applications, webhooks] = [storedScopes(meta), storedApplications(meta), storedWebhooks(meta)]
  return {
    locks: [lockedRevision(meta), scopes.lock, applications.lock, webhooks.lock],
    reads: [currentRevision(meta), scopes.read, applications.read, webhooks.read],
  } as const
}
