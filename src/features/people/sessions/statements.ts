import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { newId } from '../../../rules/ids.ts'
import { insertEventOfEach } from '../../ground/events/statements.ts'

export function sessionsOf(meta: Meta, userId: string, now: number) {
  return meta
    .selectFrom('session')
    .select(['id', 'created_at', 'last_used_at', 'expires_at', 'ip', 'user_agent', 'place'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
}

/** When each of these users last used a session that still exists. A use that refreshes it is marked only as that. */
export function sessionUsesOf(db: Kysely<MetaTables>, userIds: readonly string[]) {
  return db
    .selectFrom('session')
    .select(({ fn }) => ['user_id', fn.max('last_used_at').as('used_at'), fn.max('refreshed_at').as('refreshed_at')])
    .where('user_id', 'in', userIds)
    .where('acted_by', 'is', null)
    .groupBy('user_id')
}

export function knownNetworksOf(db: Kysely<MetaTables>, userId: string) {
  return db
    .selectFrom('known_network')
    .select(['network', 'signed_in_at'])
    .where('user_id', '=', userId)
    .orderBy('signed_in_at', 'desc')
    .orderBy('network')
}

/** The networks from which the user has signed in so far. The user must be locked. */
export const networksBefore = statement((meta: Meta, userId: string) => knownNetworksOf(meta, userId))

/** Part of taking an account from somebody who did not own its address. */
export function forgetNetworks(meta: Meta, userId: string) {
  return meta.deleteFrom('known_network').where('user_id', '=', userId)
}

/** The user must have been found to be a member; the caller's statement checks it again at each request. */
export const activateOrganization = statement((meta: Meta, id: string, organizationId: string | null) =>
  meta
    .updateTable('session')
    .set({ active_organization_id: organizationId, active_team_id: null })
    .where('id', '=', id),
)

export function activateTeam(meta: Meta, id: string, teamId: string | null) {
  return meta.updateTable('session').set({ active_team_id: teamId }).where('id', '=', id)
}

/** A later membership does not make the organisation active again. The user must be locked. */
export const leaveOrganizationIn = statement((meta: Meta, userId: string, organizationId: string) =>
  meta
    .updateTable('session')
    .set({ active_organization_id: null, active_team_id: null })
    .where('user_id', '=', userId)
    .where('active_organization_id', '=', organizationId),
)

/** The user must be locked. */
export function leaveTeamIn(meta: Meta, userId: string, teamId: string) {
  return meta
    .updateTable('session')
    .set({ active_team_id: null })
    .where('user_id', '=', userId)
    .where('active_team_id', '=', teamId)
}

export function confirmSession(meta: Meta, id: string, now: number) {
  return meta.updateTable('session').set({ confirmed_at: now }).where('id', '=', id)
}

/** The user must be locked, so that no session is being opened. */
export function endSessionsOf(meta: Meta, userId: string, reason: string, now: number, keptId = '') {
  const which = sql<SqlBool>`session.user_id = ${userId} and session.id <> ${keptId}`
  return [sessionsEnded(meta, which, reason, now), meta.deleteFrom('session').where(which)] as const
}

/**
 * Deletes pending sign-ins and trusted devices when a credential or factor changes. The user must be locked; whatever
 * creates either locks the user first.
 */
export function endSecondStepsOf(meta: Meta, userId: string) {
  return [
    meta.deleteFrom('pending_sign_in').where('user_id', '=', userId),
    meta.deleteFrom('trusted_device').where('user_id', '=', userId),
  ] as const
}

/** Deletes the pending sign-ins that began with this first step, which is being removed. */
export function endPendingSignInsBy(meta: Meta, userId: string, firstStep: string) {
  return meta
    .deleteFrom('pending_sign_in')
    .where('pending_sign_in.user_id', '=', userId)
    .where('first_step', '=', firstStep)
}

/** The user must be locked, so that no other session is opened. */
export function sessionIdsOf(meta: Meta, userId: string) {
  return sessionIds(meta).where('session.user_id', '=', userId)
}

/** A column for another query: when the session ends, and null if it has. */
export function endsOf(db: Kysely<MetaTables>, id: Expression<string>) {
  return db.selectFrom('session').select('session.expires_at').where('session.id', '=', id)
}

/** Used in queries about what ends with a session. */
export function sessionIds(db: Kysely<MetaTables>) {
  return db.selectFrom('session').select('session.id')
}

/** Precedes the statement that deletes the sessions. */
export function sessionsEnded(
  meta: Meta,
  which: Expression<SqlBool>,
  reason: string,
  now: number,
  idOfFirst: string = newId(),
) {
  const data = sql<string>`'{"id":"' || session.id || ${sql.lit(`","reason":"${reason}"}`)}`
  const facts = meta
    .selectFrom('session')
    .select(['session.user_id', data.as('data')])
    .where(which)
    .orderBy('session.id')
    .$call(lockRows(meta))
  return insertEventOfEach(meta, 'session.ended', facts, now, idOfFirst)
}

/** Returns a row if the user has signed in from this network before. */
export function knownNetwork(meta: Meta, userId: Expression<string>, network: string) {
  return meta.selectFrom('known_network').select('network').where('user_id', '=', userId).where('network', '=', network)
}

export function activePending(meta: Meta, tokenHash: string, now: number) {
  return meta
    .selectFrom('pending_sign_in')
    .where('pending_sign_in.token_hash', '=', tokenHash)
    .where('pending_sign_in.expires_at', '>', now)
}

/** The whole row of a sign-in that waits for its second step. */
export const pendingSignIn = statement((meta: Meta, tokenHash: string, now: number) =>
  activePending(meta, tokenHash, now).selectAll(),
)

/**
 * The user must be locked. Everything that ends a sign-in locks the user first, except when the user starts over.
 */
export const pendingUser = statement((meta: Meta, tokenHash: string, now: number) =>
  activePending(meta, tokenHash, now).select('user_id'),
)
