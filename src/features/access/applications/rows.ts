import type { Flag } from '../../../database/schema/flag.ts'
import type { ApplicationTable } from '../../../database/schema/products/applications.ts'
import type { Platform } from '../../../platform/platform.ts'
import { given } from '../../../rules/given.ts'
import { newId } from '../../../rules/ids.ts'
import { type GrantedScope, isGrantedScope } from '../../../rules/scopes.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { followLogoutUri } from '../../delivery/webhooks/logout/statements.ts'
import { refuseUnreachable } from '../../delivery/webhooks/webhooks.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { PICTURES } from '../../ground/settings/brand/look/look.ts'
import { keepsSecret } from '../clients/client.ts'
import { canonical } from '../clients/resources.ts'
import * as clients from '../clients/statements.ts'
import { endGrantsOfClient } from '../grants/statements.ts'
import { SCOPES_CHANGED } from '../product-scopes/product-scopes.ts'
import { deleteRefusalsOf } from '../refusals/statements.ts'
import { type BrandChanges, changedBrand, pictureStatements, shownBrand } from './brand.ts'
import type { Application, NewApplication } from './input.ts'

// What the routes and a file of settings both do to an application, once it is known that they may.

/** The names of all applications are read to compare them with a new one. */
export const MOST_APPLICATIONS = 500
export const NO_ROOM = `There can be ${MOST_APPLICATIONS} applications. Delete one first.`
const DEFAULT_SCOPES = ['openid', 'profile', 'email'] as const

/** All that can change about an application. */
export type Wanted = Required<Omit<NewApplication, 'kind' | 'key' | 'scopes' | 'brand'>> & {
  readonly brand?: BrandChanges | undefined
  readonly key?: string | null | undefined
  readonly scopes: readonly GrantedScope[]
}

export type New = Wanted & Pick<ApplicationTable, 'kind'>

export function withDefaults(input: NewApplication): New {
  const { kind, scopes = kind === 'service' ? [] : DEFAULT_SCOPES } = input
  const id_token_algorithm = input.id_token_algorithm ?? (kind === 'web' ? 'RS256' : 'EdDSA')
  return { ...input, scopes, id_token_algorithm }
}

/** The secret is known here only: the row has its hash. */
export function newApplication({ now }: Platform, { kind, ...wanted }: New) {
  const { brand, pictures } = changedBrand({ brand: null }, wanted.brand ?? null)
  const secret = keepsSecret(kind) ? newToken('application') : undefined
  const row: ApplicationTable = {
    ...{ id: newId(), key: null, kind, origin: 'administrator', ...OF_GUESTS },
    secret_hash: secret === undefined ? null : tokenHash(secret),
    ...columnsOf(wanted),
    brand,
    ...{ created_at: now(), updated_at: now() },
  }
  return { row, secret, pictures }
}

export function writeCreation(
  act: Act,
  { meta, now }: Platform,
  { row, pictures }: Pick<ReturnType<typeof newApplication>, 'row' | 'pictures'>,
): void {
  const { id, name, kind } = row
  const details = { name, kind, scopes: wireApplication(row).scopes }
  act.write(clients.insertApplication(meta, row), ...pictureStatements(meta, id, pictures))
  act.write(...followLogoutUri(meta, id, row.backchannel_logout_uri, now()))
  act.record('application.create', { subject: { type: 'application', id }, details })
}

/** Returns the columns that it writes. */
export function writeChanges(act: Act, { meta, now }: Platform, held: ApplicationTable, changes: Partial<Wanted>) {
  const { id } = held
  const { backchannel_logout_uri: logoutUri } = changes
  const details = { fields: Object.keys(changes) }
  const event = changes.scopes ? ('settings.saved' as const) : undefined
  const branded = changes.brand === undefined ? undefined : changedBrand(held, changes.brand)
  const columns = { ...columnsOf(changes), ...(branded && { brand: branded.brand }), updated_at: now() }
  act.write(clients.updateApplicationRow(meta, id, columns), ...pictureStatements(meta, id, branded?.pictures ?? []))
  if (logoutUri !== undefined) act.write(...followLogoutUri(meta, id, logoutUri, now()))
  act.record('application.update', { subject: { type: 'application', id }, details, event, data: SCOPES_CHANGED })
  return columns
}

/** Also ends all access that the application was given. */
export function writeDeletion(
  act: Act,
  { meta, now }: Platform,
  { id, name }: Pick<ApplicationTable, 'id' | 'name'>,
): void {
  act.write(clients.deleteApplicationRow(meta, id), clients.deletePictures(meta, id, PICTURES))
  act.write(deleteRefusalsOf(meta, id), ...endGrantsOfClient(meta, id, now()))
  act.record('application.delete', { subject: { type: 'application', id }, details: { name } })
}

export function columnsOf(wanted: Wanted): Omit<ApplicationTable, NotWanted>
export function columnsOf(wanted: Partial<Wanted>): Partial<Omit<ApplicationTable, NotWanted>>
export function columnsOf(wanted: Partial<Wanted>): Partial<Omit<ApplicationTable, NotWanted>> {
  const { scopes, redirect_uris, post_logout_redirect_uris, skip_consent, require_pkce, ...plain } = wanted
  const { key, name, logo_url, home_url, id_token_algorithm, backchannel_logout_uri, resource } = plain
  const columns = {
    ...{ key, name, logo_url, home_url, id_token_algorithm, backchannel_logout_uri },
    resource: resource && canonical(resource),
    redirect_uris: redirect_uris && JSON.stringify(redirect_uris),
    post_logout_redirect_uris: post_logout_redirect_uris && JSON.stringify(post_logout_redirect_uris),
    scopes: scopes?.join(' '),
    skip_consent: flagOf(skip_consent),
    require_pkce: flagOf(require_pkce),
  }
  return given(columns)
}

function flagOf(value: boolean | undefined): Flag | undefined {
  return value === undefined ? undefined : value ? 1 : 0
}

/** Clients that describe themselves have these columns; the administrator's applications have them empty. */
const OF_GUESTS = { fresh_until: null, registered_from: null } as const

type NotWanted =
  | 'id'
  | 'kind'
  | 'origin'
  | 'secret_hash'
  | 'brand'
  | 'created_at'
  | 'updated_at'
  | keyof typeof OF_GUESTS

export function wireApplication(row: ApplicationTable) {
  const { id, key, kind, origin, created_at, updated_at } = row
  const dated = { brand: shownBrand(row), created_at, updated_at }
  return { id, client_id: id, key, kind, origin, ...fieldsOf(row), ...dated } satisfies Application
}

/** What can be changed, as the wire has it. */
export function fieldsOf(row: ApplicationTable) {
  const { name, logo_url, home_url, resource, id_token_algorithm, backchannel_logout_uri } = row
  return {
    name,
    redirect_uris: JSON.parse(row.redirect_uris) as string[],
    post_logout_redirect_uris: JSON.parse(row.post_logout_redirect_uris) as string[],
    scopes: row.scopes.split(' ').filter(isGrantedScope),
    ...{ logo_url, home_url, resource, id_token_algorithm, backchannel_logout_uri },
    skip_consent: row.skip_consent === 1,
    require_pkce: row.require_pkce === 1,
  }
}

/** Addresses that this service itself calls. */
const CALLED = ['backchannel_logout_uri', 'logo_url'] as const

type CalledAddresses = { readonly [name in (typeof CALLED)[number]]?: string | null | undefined }

export function refuseUnreachableAddresses(platform: Platform, sent: CalledAddresses): void {
  for (const name of CALLED) {
    const address = sent[name]
    if (address) refuseUnreachable(platform, address, name)
  }
}
