import { isDeepStrictEqual } from 'node:util'
import { v7 as newId } from 'uuid'
import type { Flag } from '../../../database/schema/flag.ts'
import type { ApplicationTable } from '../../../database/schema/products/applications.ts'
import { ConstraintViolation } from '../../../database/store.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import { requireFresh } from '../../../http/freshness.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import { given } from '../../../rules/given.ts'
import { faultOfName, faultOfSameLook } from '../../../rules/imitation.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { type GrantedScope, isGrantedScope, isIdentityScope } from '../../../rules/scopes.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { followLogoutUri } from '../../delivery/webhooks/logout/statements.ts'
import { refuseUnreachable } from '../../delivery/webhooks/webhooks.ts'
import { decide } from '../../ground/acts/acts.ts'
import { lockedUser } from '../../people/users/statements.ts'
import { cliClient } from '../clients/cli-client.ts'
import { keepsSecret } from '../clients/client.ts'
import { canonical } from '../clients/resources.ts'
import * as clients from '../clients/statements.ts'
import { endGrantsOfClient, endGrantsOfService } from '../grants/statements.ts'
import { SCOPES_CHANGED } from '../product-scopes/product-scopes.ts'
import { listRefusals } from '../refusals/refusals.ts'
import { deleteRefusalsOf } from '../refusals/statements.ts'
import type { Application, ApplicationChanges, ListApplications, NewApplication, RotateSecret } from './input.ts'
import { RESOURCE_TAKEN, refuseInvalid } from './rules.ts'

/** The names of all applications are read to compare them with a new one. */
const MOST_APPLICATIONS = 500
const DEFAULT_SCOPES = ['openid', 'profile', 'email'] as const

export async function createApplication(call: ProtectedCall, input: NewApplication) {
  const { meta, now } = call.platform
  const { name, kind } = input
  const scopes = input.scopes ?? (kind === 'service' ? [] : DEFAULT_SCOPES)
  const id_token_algorithm = input.id_token_algorithm ?? (kind === 'web' ? 'RS256' : 'EdDSA')
  const wanted = { ...input, scopes, id_token_algorithm }
  refuseBeyond(call, scopes)
  await refuseInvalid(call.platform, wanted)
  await refuseImitation(call, undefined, wanted)
  refuseUnreachableAddresses(call, wanted)
  const id = newId()
  const secret = keepsSecret(kind) ? newToken('application') : undefined
  const times = { created_at: now(), updated_at: now() }
  const secret_hash = secret === undefined ? null : tokenHash(secret)
  const made = { id, kind, secret_hash, origin: 'administrator', ...OF_GUESTS } as const
  // Only the administrator adds applications, so this lock makes simultaneous requests count one after the other.
  const read = [lockedUser(meta, call.caller.user.id), clients.countApplications(meta)] as const
  await withOwnResource(
    decide(call, read, async (act, _, [counted]) => {
      if (!counted || counted.applications >= MOST_APPLICATIONS)
        throw new Refusal('QUOTA_EXCEEDED', `There can be ${MOST_APPLICATIONS} applications. Delete one first.`)
      act.write(
        clients.insertApplication(meta, { ...made, ...columnsOf(wanted), ...times }),
        ...followLogoutUri(meta, id, wanted.backchannel_logout_uri, now()),
      )
      act.record('application.create', { subject: { type: 'application', id }, details: { name, kind, scopes } })
    }),
  )
  return { id, client_id: id, ...(secret !== undefined && { client_secret: secret }) }
}

export async function listApplications({ platform }: ProtectedCall, input: ListApplications) {
  const { items, total } = await clients.applicationsPage(platform.meta, input.order, sliceOf(input))
  return { items: await mapInTurns(items, wireApplication), total }
}

/** Writes only the given fields, so two saves of different fields at the same time are both kept. */
export async function updateApplication(call: ProtectedCall, { id, ...sent }: ApplicationChanges) {
  const { meta, now } = call.platform
  const changes = given(sent)
  const wanted = changed(call, await getApplication(call, id), changes)
  await refuseInvalid(call.platform, wanted)
  if (changes.name !== undefined) await refuseImitation(call, id, wanted)
  refuseUnreachableAddresses(call, changes)
  const { backchannel_logout_uri: logoutUri } = changes
  const details = { fields: Object.keys(changes) }
  const event = changes.scopes ? ('settings.saved' as const) : undefined
  const columns = { ...columnsOf(changes), updated_at: now() }
  return withOwnResource(
    decide(call, [clients.lockedApplication(meta, id)], async (act, [held]) => {
      if (!held) throw unknown()
      changed(call, held, changes)
      act.write(clients.updateApplicationRow(meta, id, columns))
      if (logoutUri !== undefined) act.write(...followLogoutUri(meta, id, logoutUri, now()))
      act.record('application.update', { subject: { type: 'application', id }, details, event, data: SCOPES_CHANGED })
      return wireApplication({ ...held, ...columns })
    }),
  )
}

/** A program can be misled into passing one application off as another. The administrator's own session is free. */
async function refuseImitation(
  { platform, caller }: ProtectedCall,
  id: string | undefined,
  { name, redirect_uris, home_url }: Pick<Wanted, 'name' | 'redirect_uris' | 'home_url'>,
): Promise<void> {
  if (caller.credential.kind !== 'grant') return
  const others = await clients.applicationNames(platform.meta, id)
  const named = faultOfName(name, {
    others: ['Gatehouse', cliClient.name],
    domains: [platform.config.baseUrl, home_url ?? '', ...redirect_uris].flatMap(
      (url) => URL.parse(url)?.hostname ?? [],
    ),
  })
  const fault = named ?? faultOfSameLook(name, others)
  if (fault !== undefined) throw invalidInput('name', `${fault} In the console, the administrator can choose any name.`)
}

/**
 * Judges the application as it will be: refuses a program that lacks a scope which the application has or would get.
 */
function changed(call: ProtectedCall, row: ApplicationTable, changes: Partial<Wanted>) {
  const present = wireApplication(row)
  refuseGuest(present)
  refuseBeyond(call, present.scopes)
  const wanted = { ...present, ...changes }
  refuseBeyond(call, wanted.scopes)
  if (reachesFurther(present, changes)) requireFresh(call)
  return wanted
}

/** With consent skipped, the code of any user who follows a link goes to the new address, or carries the new scopes. */
function reachesFurther(present: Application, changes: Partial<Wanted>): boolean {
  const after = { ...present, ...changes }
  const isOther = REACH.some((field) => !isDeepStrictEqual(after[field], present[field]))
  return after.skip_consent && isOther
}

const REACH = ['skip_consent', 'redirect_uris', 'scopes'] as const

/** The decision checks this again. */
export async function wouldReachFurther(call: ProtectedCall, { id, ...sent }: ApplicationChanges) {
  if (!REACH.some((field) => sent[field] !== undefined)) return false
  const row = await clients.applicationById(call.platform.meta, id)
  return row !== undefined && reachesFurther(wireApplication(row), given(sent))
}

/**
 * Refuses the old secret from now on, and a service's tokens that were issued for it, unless they are kept. What users
 * have given to an application stays.
 */
export async function rotateSecret(call: ProtectedCall, { id, keep_tokens }: RotateSecret) {
  const { meta, now } = call.platform
  const secret = newToken('application')
  await decide(call, [clients.lockedApplication(meta, id)], async (act, [held]) => {
    if (!held) throw unknown()
    refuseBeyond(call, wireApplication(held).scopes)
    if (!keepsSecret(held.kind)) throw new Refusal('INVALID_REQUEST', 'An application of this kind has no secret.')
    act.write(clients.updateApplicationRow(meta, id, { secret_hash: tokenHash(secret), updated_at: now() }))
    if (!keep_tokens) act.write(...endGrantsOfService(meta, id, now()))
    act.record('application.rotate_secret', { subject: { type: 'application', id } })
  })
  return { client_secret: secret }
}

export async function listApplicationRefusals(call: ProtectedCall, id: string) {
  await getApplication(call, id)
  return listRefusals(call.platform, id)
}

/** Also ends all access that the application was given. */
export async function deleteApplication(call: ProtectedCall, id: string): Promise<void> {
  const { meta, now } = call.platform
  await decide(call, [clients.lockedApplication(meta, id)], async (act, [held]) => {
    if (!held) throw unknown()
    act.write(clients.deleteApplicationRow(meta, id), deleteRefusalsOf(meta, id), ...endGrantsOfClient(meta, id, now()))
    act.record('application.delete', { subject: { type: 'application', id }, details: { name: held.name } })
  })
}

/** If two applications claim the same address at once, the second is refused. */
function withOwnResource<T>(writes: Promise<T>): Promise<T> {
  return writes.catch((error: unknown) => {
    const isTaken = error instanceof ConstraintViolation && error.kind === 'unique'
    throw isTaken ? invalidInput('resource', RESOURCE_TAKEN) : error
  })
}

function refuseGuest({ origin }: Pick<Application, 'origin'>): void {
  if (origin === 'administrator') return
  throw new Refusal('INVALID_REQUEST', 'This application describes itself. It can only be deleted.')
}

async function getApplication({ platform }: ProtectedCall, id: string): Promise<ApplicationTable> {
  const row = await clients.applicationById(platform.meta, id)
  if (!row) throw unknown()
  return row
}

function unknown(): Refusal {
  return new Refusal('NOT_FOUND', 'This application does not exist.')
}

/**
 * A program cannot pass on scopes that it lacks, neither to a new application nor by taking an old one's secret.
 * Identity scopes open nothing here and no program can hold them, so any application can be given them.
 */
function refuseBeyond({ caller: { credential } }: ProtectedCall, scopes: readonly GrantedScope[]): void {
  if (credential.kind === 'session') return
  const beyond = scopes.find((scope) => !isIdentityScope(scope) && !credential.scopes.includes(scope))
  if (beyond === undefined) return
  throw new Refusal('INSUFFICIENT_SCOPE', `This token lacks ${beyond}, so it cannot give it to an application.`)
}

/** Addresses that this service itself calls. */
const CALLED = ['backchannel_logout_uri', 'logo_url'] as const

type CalledAddresses = { readonly [name in (typeof CALLED)[number]]?: string | null | undefined }

function refuseUnreachableAddresses({ platform }: ProtectedCall, sent: CalledAddresses): void {
  for (const name of CALLED) {
    const address = sent[name]
    if (address) refuseUnreachable(platform, address, name)
  }
}

type Wanted = Required<Omit<NewApplication, 'kind' | 'scopes'>> & { readonly scopes: readonly GrantedScope[] }

function columnsOf(wanted: Wanted): Omit<ApplicationTable, NotWanted>
function columnsOf(wanted: Partial<Wanted>): Partial<Omit<ApplicationTable, NotWanted>>
function columnsOf(wanted: Partial<Wanted>): Partial<Omit<ApplicationTable, NotWanted>> {
  const { scopes, redirect_uris, post_logout_redirect_uris, skip_consent, require_pkce, ...plain } = wanted
  const { name, logo_url, home_url, id_token_algorithm, backchannel_logout_uri, resource } = plain
  const columns = {
    ...{ name, logo_url, home_url, id_token_algorithm, backchannel_logout_uri },
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

type NotWanted = 'id' | 'kind' | 'origin' | 'secret_hash' | 'created_at' | 'updated_at' | keyof typeof OF_GUESTS

function wireApplication(row: ApplicationTable) {
  const { secret_hash: _, fresh_until: __, registered_from: ___, ...shown } = row
  return {
    ...shown,
    client_id: row.id,
    redirect_uris: JSON.parse(row.redirect_uris) as string[],
    post_logout_redirect_uris: JSON.parse(row.post_logout_redirect_uris) as string[],
    scopes: row.scopes.split(' ').filter(isGrantedScope),
    skip_consent: row.skip_consent === 1,
    require_pkce: row.require_pkce === 1,
  } satisfies Application
}
