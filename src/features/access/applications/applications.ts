import { isDeepStrictEqual } from 'node:util'
import { overtakenIfTaken, untilNotOvertaken } from '../../../database/overtaken.ts'
import type { ApplicationTable } from '../../../database/schema/products/applications.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import { requireAdministrator } from '../../../http/freshness.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import type { Caller } from '../../../rules/caller.ts'
import { given } from '../../../rules/given.ts'
import { faultOfName, faultOfSameLook } from '../../../rules/imitation.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { type GrantedScope, isIdentityScope } from '../../../rules/scopes.ts'
import { holds } from '../../../rules/staff.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { decide } from '../../ground/acts/acts.ts'
import { lockedAdministrator } from '../../people/users/statements.ts'
import { cliClient } from '../clients/cli-client.ts'
import { keepsSecret } from '../clients/client.ts'
import * as clients from '../clients/statements.ts'
import { consentTo, latestSignInsAt, usersOfClient } from '../grants/client-statements.ts'
import { endGrantsOfService } from '../grants/statements.ts'
import { listRefusals } from '../refusals/refusals.ts'
import type { Application, ApplicationChanges, ListApplications, NewApplication, RotateSecret } from './input.ts'
import {
  MOST_APPLICATIONS,
  type New,
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
import { refuseInvalid } from './rules.ts'

export function createApplication(call: ProtectedCall, input: NewApplication) {
  const wanted = withDefaults(input)
  refuseBeyond(call, wanted)
  return untilNotOvertaken(call.platform.meta, () => create(call, wanted).catch(overtakenIfTaken))
}

async function create(call: ProtectedCall, wanted: New) {
  const { meta } = call.platform
  await refuseInvalid(call.platform, wanted)
  await refuseImitation(call, undefined, wanted)
  refuseUnreachableAddresses(call.platform, wanted)
  const made = newApplication(call.platform, wanted)
  // Everybody who adds applications locks this row, so that simultaneous requests count one after the other.
  const read = [lockedAdministrator(meta), clients.countApplications(meta)] as const
  await decide(call, read, async (act, _, [counted]) => {
    if (!counted || counted.applications >= MOST_APPLICATIONS) throw new Refusal('QUOTA_EXCEEDED', NO_ROOM)
    writeCreation(act, call.platform, made)
  })
  const { id } = made.row
  return { id, client_id: id, ...(made.secret !== undefined && { client_secret: made.secret }) }
}

export async function listApplications({ platform }: ProtectedCall, input: ListApplications) {
  const { items, total } = await clients.applicationsPage(platform.meta, input.order, sliceOf(input))
  return { items: await mapInTurns(items, wireApplication), total }
}

export async function getApplicationInUse(call: ProtectedCall, id: string) {
  const { meta, now } = call.platform
  const row = await getApplication(call, id)
  const [[counted], sign_ins] = await meta.snapshot([usersOfClient(meta, id, now()), latestSignInsAt(meta, id, now())])
  return { ...wireApplication(row), users: counted?.users ?? 0, sign_ins: [...sign_ins] }
}

/** Writes only the given fields, so two saves of different fields at the same time are both kept. */
export function updateApplication(call: ProtectedCall, changes: ApplicationChanges) {
  return untilNotOvertaken(call.platform.meta, () => update(call, changes).catch(overtakenIfTaken))
}

async function update(call: ProtectedCall, { id, ...sent }: ApplicationChanges) {
  const { platform } = call
  const changes = given(sent)
  const wanted = changed(call, await getApplication(call, id), changes)
  await refuseInvalid(platform, wanted)
  if (changes.name !== undefined) await refuseImitation(call, id, wanted)
  refuseUnreachableAddresses(platform, changes)
  const read = [clients.lockedApplication(platform.meta, id), consentTo(platform.meta, id)] as const
  return decide(call, read, async (act, [held], [consent]) => {
    if (!held) throw unknown()
    changed(call, held, changes)
    if (consent && sendsElsewhere(wireApplication(held), changes)) requireAdministrator(call)
    const columns = writeChanges(act, platform, held, changes)
    return wireApplication({ ...held, ...columns })
  })
}

/** A program or a member of the staff could pass one application off as another. The administrator's own session is free. */
async function refuseImitation(
  { platform, caller }: ProtectedCall,
  id: string | undefined,
  { name, redirect_uris, home_url }: Pick<Wanted, 'name' | 'redirect_uris' | 'home_url'>,
): Promise<void> {
  if (caller.credential.kind === 'session' && caller.user.role === 'administrator') return
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
  refuseOtherKey(present, changes)
  refuseBeyond(call, present)
  const wanted = { ...present, ...changes }
  refuseBeyond(call, wanted)
  if (reachesFurther(present, changes) || restyles(present, changes)) requireAdministrator(call)
  return wanted
}

/** A file of settings finds the application by it, so another key would make another application. */
function refuseOtherKey({ key: present }: Application, { key }: Partial<Wanted>): void {
  if (present === null || key === undefined || key === present) return
  throw invalidInput('key', 'A key is set once. Leave it out.')
}

/** With consent skipped, the code of any user who follows a link goes to the new address, or carries the new scopes. */
function reachesFurther(present: Application, changes: Partial<Wanted>): boolean {
  const after = { ...present, ...changes }
  const isOther = REACH.some((field) => !isDeepStrictEqual(after[field], present[field]))
  return after.skip_consent && isOther
}

/** Users who have allowed the application are not asked again, so a code of theirs would go to a new address at once. */
function sendsElsewhere(present: Application, { redirect_uris = [] }: Partial<Wanted>): boolean {
  return redirect_uris.some((address) => !present.redirect_uris.includes(address))
}

/** CSS can hide what a consent page says. */
function restyles(present: Pick<Application, 'brand'>, { brand }: Pick<Wanted, 'brand'>): boolean {
  return typeof brand?.css === 'string' && brand.css !== present.brand.css
}

const REACH = ['skip_consent', 'redirect_uris', 'scopes'] as const

/**
 * The decision checks this again. A file of settings changes what has the key, so a program that could set one would
 * get what the file gives.
 */
export async function wouldReachFurther(call: ProtectedCall, { id, ...sent }: ApplicationChanges) {
  if (sent.key !== undefined) return true
  if (!REACH.some((field) => sent[field] !== undefined) && typeof sent.brand?.css !== 'string') return false
  const row = await clients.applicationById(call.platform.meta, id)
  if (!row) return false
  const [present, changes] = [wireApplication(row), given(sent)]
  if (reachesFurther(present, changes) || restyles(present, changes)) return true
  const { primary } = call.platform.meta
  return sendsElsewhere(present, changes) && (await consentTo(primary, id).executeTakeFirst()) !== undefined
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
    refuseBeyond(call, wireApplication(held))
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
  const { meta } = call.platform
  await decide(call, [clients.lockedApplication(meta, id)], async (act, [held]) => {
    if (!held) throw unknown()
    writeDeletion(act, call.platform, held)
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
 * Neither a program nor a staff member can pass on scopes that they lack, neither to a new application nor by taking an
 * old one's secret. Identity scopes open nothing here and no program can hold them, so any application can be given them.
 */
function refuseBeyond({ caller }: ProtectedCall, application: Holder): void {
  const beyond = application.scopes.find((scope) => !isIdentityScope(scope) && !canPassOn(caller, application, scope))
  if (beyond === undefined) return
  if (caller.credential.kind === 'session')
    throw new Refusal('FORBIDDEN', `You can neither give ${beyond} to this application nor take it away.`)
  throw new Refusal('INSUFFICIENT_SCOPE', `This token cannot give ${beyond} to this application.`)
}

interface Holder {
  readonly kind: ApplicationTable['kind']
  readonly scopes: readonly GrantedScope[]
}

/**
 * A service acts in the administrator's name: it may change the accounts of staff, the log names the administrator,
 * and a scope of the product gives it everybody's data. So only the administrator gives it scopes.
 */
function canPassOn({ user, credential }: Caller, { kind }: Holder, scope: GrantedScope): boolean {
  if (kind === 'service' && user.role !== 'administrator') return false
  return credential.kind === 'grant' ? credential.scopes.includes(scope) : holds(user, scope)
}
