import { isDeepStrictEqual } from 'node:util'
import { overtakenIfTaken, untilNotOvertaken } from '../../../database/overtaken.ts'
import type { ApplicationTable } from '../../../database/schema/products/applications.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import { requireFresh } from '../../../http/freshness.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import { given } from '../../../rules/given.ts'
import { faultOfName, faultOfSameLook } from '../../../rules/imitation.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { type GrantedScope, isIdentityScope } from '../../../rules/scopes.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { decide } from '../../ground/acts/acts.ts'
import { lockedUser } from '../../people/users/statements.ts'
import { cliClient } from '../clients/cli-client.ts'
import { keepsSecret } from '../clients/client.ts'
import * as clients from '../clients/statements.ts'
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
  refuseBeyond(call, wanted.scopes)
  return untilNotOvertaken(call.platform.meta, () => create(call, wanted).catch(overtakenIfTaken))
}

async function create(call: ProtectedCall, wanted: New) {
  const { meta } = call.platform
  await refuseInvalid(call.platform, wanted)
  await refuseImitation(call, undefined, wanted)
  refuseUnreachableAddresses(call.platform, wanted)
  const made = newApplication(call.platform, wanted)
  // Only the administrator adds applications, so this lock makes simultaneous requests count one after the other.
  const read = [lockedUser(meta, call.caller.user.id), clients.countApplications(meta)] as const
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
  return decide(call, [clients.lockedApplication(platform.meta, id)], async (act, [held]) => {
    if (!held) throw unknown()
    changed(call, held, changes)
    const columns = writeChanges(act, platform, id, changes)
    return wireApplication({ ...held, ...columns })
  })
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
  refuseOtherKey(present, changes)
  refuseBeyond(call, present.scopes)
  const wanted = { ...present, ...changes }
  refuseBeyond(call, wanted.scopes)
  if (reachesFurther(present, changes)) requireFresh(call)
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

const REACH = ['skip_consent', 'redirect_uris', 'scopes'] as const

/**
 * The decision checks this again. A file of settings changes what has the key, so a program that could set one would
 * get what the file gives.
 */
export async function wouldReachFurther(call: ProtectedCall, { id, ...sent }: ApplicationChanges) {
  if (sent.key !== undefined) return true
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
 * A program cannot pass on scopes that it lacks, neither to a new application nor by taking an old one's secret.
 * Identity scopes open nothing here and no program can hold them, so any application can be given them.
 */
function refuseBeyond({ caller: { credential } }: ProtectedCall, scopes: readonly GrantedScope[]): void {
  if (credential.kind === 'session') return
  const beyond = scopes.find((scope) => !isIdentityScope(scope) && !credential.scopes.includes(scope))
  if (beyond === undefined) return
  throw new Refusal('INSUFFICIENT_SCOPE', `This token lacks ${beyond}, so it cannot give it to an application.`)
}
