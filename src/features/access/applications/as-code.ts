import { isDeepStrictEqual } from 'node:util'
import type { ApplicationTable } from '../../../database/schema/products/applications.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { given } from '../../../rules/given.ts'
import { isProductScope } from '../../../rules/scopes.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { type Environment, textOf } from '../../ground/settings/as-code/parts.ts'
import {
  type Difference,
  differenceOf,
  type Planned,
  type Rest,
  refused,
  refusedBelow,
  refuseRepeated,
} from '../../ground/settings/as-code/section.ts'
import { PICTURES, type PictureName } from '../../ground/settings/brand/look/look.ts'
import { canonical } from '../clients/resources.ts'
import {
  administratorsApplications,
  lockAdministratorsApplications,
  updateApplicationRow,
} from '../clients/statements.ts'
import { BrandChanges, changedBrand, storedBrand } from './brand.ts'
import { type ApplicationOfFile, FieldNames, NewApplication } from './input.ts'
import {
  columnsOf,
  fieldsOf,
  MOST_APPLICATIONS,
  NO_ROOM,
  newApplication,
  refuseUnreachableAddresses,
  type Wanted,
  wireApplication,
  withDefaults,
  writeChanges,
  writeCreation,
  writeDeletion,
} from './rows.ts'
import { issuesOf } from './rules.ts'

export function storedApplications(meta: Meta) {
  return { lock: lockAdministratorsApplications(meta), read: administratorsApplications(meta) }
}

/** Those without a key are in no file. */
export function applicationsAsFile(rows: readonly ApplicationTable[]): readonly ApplicationOfFile[] {
  return rows.flatMap((row) =>
    row.key === null ? [] : [{ key: row.key, kind: row.kind, ...fieldsOf(row), brand: brandAsFile(row) }],
  )
}

/** What it has of its own; for pictures, that they are kept. */
function brandAsFile(row: ApplicationTable): NonNullable<ApplicationOfFile['brand']> {
  const { logo, logo_dark, favicon, ...style } = storedBrand(row)
  const kept = Object.entries({ logo, logo_dark, favicon }).flatMap(([name, picture]) => (picture ? [name] : []))
  return { ...style, ...Object.fromEntries(kept.map((name) => [name, 'keep'])) }
}

interface File {
  readonly rows: readonly ApplicationTable[]
  /** Undefined if the file has no such section. */
  readonly entries: readonly ApplicationOfFile[] | undefined
  readonly rest: Rest
  /** The product scopes that there are once the file is applied. */
  readonly declared: ReadonlySet<string>
  readonly environment: Environment
}

type Entry = Omit<ApplicationOfFile, 'brand'> & { readonly brand?: BrandChanges | undefined }

/** The entry with the bytes of the pictures that it refers to. */
async function withPictures({ brand, ...entry }: ApplicationOfFile, environment: Environment): Promise<Entry> {
  if (!brand) return brand === undefined ? entry : { ...entry, brand }
  const path = `applications.${entry.key}.brand`
  const pictures: Partial<Record<PictureName, unknown>> = {}
  for (const name of PICTURES) {
    const reference = brand[name]
    if (reference === undefined || reference === 'keep') continue
    pictures[name] =
      reference === 'remove'
        ? null
        : { action: 'replace', value: await textOf(`${path}.${name}`, reference, 'picture', environment) }
  }
  const { logo: _logo, logo_dark: _dark, favicon: _icon, ...style } = brand
  const { success, data, error } = await BrandChanges.safeParseAsync({ ...style, ...pictures })
  if (success) return { ...entry, brand: data }
  throw refused(`${path}.${error.issues[0]?.path[0]?.toString() ?? ''}`, error.issues[0]?.message ?? 'is not valid')
}

/** What is done to one application, and how it is after that. */
interface Step {
  readonly differences: readonly Difference[]
  readonly after: ReturnType<typeof wireApplication>
  readonly secret?: string | undefined
  /** Its address is another one. */
  readonly frees?: true
  write(act: Act): void
}

export async function planApplications(platform: Platform, { rows, entries, rest, declared, environment }: File) {
  const keys = (entries ?? []).map(({ key }) => key)
  refuseRepeated('applications', keys)
  const stored = new Map(rows.map((row) => [row.key, row]))
  const resolved = await Promise.all((entries ?? []).map((entry) => withPictures(entry, environment)))
  const steps = resolved.map((entry) => stepTo(platform, entry, stored.get(entry.key)))
  const pruned = rest === 'pruned' && entries ? rows.filter(({ key }) => key !== null && !keys.includes(key)) : []
  const touched = new Set([...steps.map(({ after }) => after.id), ...pruned.map(({ id }) => id)])
  const after = [...rows.filter(({ id }) => !touched.has(id)).map(wireApplication), ...steps.map((step) => step.after)]
  for (const step of steps) if (step.differences.length > 0) refuseFaults(platform, step.after, after, declared)
  if (after.length > MOST_APPLICATIONS) throw refused('applications', NO_ROOM)
  const credentials = steps.flatMap(({ secret, after: { id, key } }) =>
    secret === undefined ? [] : [[key, { client_id: id, client_secret: secret }] as const],
  )
  const planned: Planned = {
    differences: [
      ...steps.flatMap(({ differences }) => differences),
      ...pruned.map(({ key }) => ({ path: `applications.${key}`, words: 'is deleted' })),
    ],
    secrets: Object.fromEntries(credentials),
    write(act) {
      for (const row of pruned) writeDeletion(act, platform, row)
      // An address can go from one to another, and no two have it at any moment.
      for (const {
        frees,
        after: { id },
      } of steps)
        if (frees) act.write(updateApplicationRow(platform.meta, id, { resource: null }))
      for (const step of steps) step.write(act)
    },
  }
  return { ...planned, used: new Set(after.flatMap(({ scopes }) => scopes)) }
}

function stepTo(platform: Platform, entry: Entry, row: ApplicationTable | undefined): Step {
  const path = `applications.${entry.key}`
  return row ? changeTo(platform, path, entry, row) : creationOf(platform, path, entry)
}

function creationOf(platform: Platform, path: string, { brand = null, ...entry }: Entry): Step {
  const { success, data, error } = NewApplication.safeParse(entry)
  if (!success) {
    const [issue] = error.issues
    throw refused([path, ...(issue?.path ?? [])].join('.'), 'is missing: it is needed for a new application.')
  }
  const made = newApplication(platform, { ...withDefaults(data), brand })
  const { secret } = made
  return {
    differences: [{ path, words: secret === undefined ? 'is registered' : 'is registered, and gets a secret' }],
    after: wireApplication(made.row),
    secret,
    write: (act) => writeCreation(act, platform, made),
  }
}

function changeTo(platform: Platform, path: string, { key, kind, brand, ...sent }: Entry, row: ApplicationTable): Step {
  if (kind !== undefined && kind !== row.kind) throw refused(`${path}.kind`, `is ${row.kind} and cannot change.`)
  const now: Partial<Wanted> = fieldsOf(row)
  const { resource } = sent
  const wanted: Partial<Wanted> = given({ ...sent, resource: resource && (canonical(resource) ?? resource) })
  const fields = FieldNames.options.filter((name) => name in wanted && !isDeepStrictEqual(wanted[name], now[name]))
  const branded = brand === undefined ? [] : brandDifferences(`${path}.brand`, row, brand)
  const changes: Partial<Wanted> = {
    ...Object.fromEntries(fields.map((name) => [name, wanted[name]])),
    ...(branded.length > 0 && { brand }),
  }
  return {
    differences: [...fields.map((name) => differenceOf(`${path}.${name}`, now[name], wanted[name])), ...branded],
    after: wireApplication({ ...row, ...columnsOf(changes) }),
    ...(fields.includes('resource') && { frees: true }),
    write(act) {
      if (fields.length + branded.length > 0) writeChanges(act, platform, row, changes)
    },
  }
}

/** A picture differs by its digest. */
function brandDifferences(path: string, row: ApplicationTable, changes: BrandChanges): readonly Difference[] {
  const now: Record<string, unknown> = storedBrand(row)
  const after: Record<string, unknown> = storedBrand(changedBrand(row, changes))
  const names = [...new Set([...Object.keys(now), ...Object.keys(after)])]
  return names
    .filter((name) => !isDeepStrictEqual(now[name], after[name]))
    .map((name) => differenceOf(`${path}.${name}`, now[name] ?? null, after[name] ?? null))
}

function refuseFaults(
  platform: Platform,
  { key, ...application }: Step['after'],
  all: readonly Step['after'][],
  declared: File['declared'],
): void {
  const { resource, scopes } = application
  const path = `applications.${key}`
  const address = resource === null ? undefined : canonical(resource)
  const [issue] = issuesOf(platform.config, application, {
    areDeclared: scopes.every((scope) => !isProductScope(scope) || declared.has(scope)),
    owners: {
      key: undefined,
      resource: all.find((other) => other.id !== application.id && other.resource === address),
    },
  })
  if (issue) throw refused(`${path}.${issue.path}`, issue.message)
  refusedBelow(path, () => refuseUnreachableAddresses(platform, application))
}
