import type { UserTable } from '../../database/schema.ts'
import type { Meta } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Page, sliceOf } from '../../rules/paging.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Actor, auditEntry } from '../audit/audit.ts'
import { creditsOf } from '../credits/credits.ts'
import { countFeedbacksOf } from '../feedback/listing.ts'
import { getShard } from '../shards/shards.ts'
import type { ListUsers } from './input.ts'
import * as store from './store.ts'

/** Undefined only before the first preparation has made the one. */
export function findAdministrator(meta: Meta) {
  return store.administrator(meta)
}

export function findUserByEmail(meta: Meta, email: string) {
  return store.userByEmail(meta, email)
}

export async function anyUserExists(meta: Meta): Promise<boolean> {
  return (await store.anyUser(meta)) !== undefined
}

export async function listUsers(meta: Meta, filter: ListUsers & Page) {
  const [total, rows] = await Promise.all([
    store.count(meta, filter),
    store.page(meta, filter, sliceOf(filter)),
  ])
  return { items: rows.map(userItem), total }
}

/** One user's page: from the global store, and from the user's shard. */
export async function getUserFacts(platform: Platform, id: string) {
  const identity = await getIdentity(platform, id)
  if (identity.shard_id === null) return { ...identity, balance: 0, feedbacks: 0 }
  const shard = getShard(platform, identity.shard_id)
  const [credits, feedbacks] = await Promise.all([creditsOf(shard, id), countFeedbacksOf(shard, id)])
  return { ...identity, balance: credits.balance, feedbacks }
}

/** Everything of a user in the global store, without secrets. */
export async function getIdentity({ meta, now }: Platform, id: string) {
  const user = await store.withShard(meta, id)
  if (!user) throw unknownUser()
  const [accounts, sessions, grants, betaCode] = await Promise.all([
    store.accounts(meta, id),
    store.sessions(meta, id, now()),
    store.grants(meta, id),
    store.betaCode(meta, id),
  ])
  return {
    ...userItem(user),
    accounts,
    sessions,
    grants: grants.map((grant) => ({ ...grant, scopes: grant.scopes.split(' ') })),
    beta_code: betaCode ?? null,
  }
}

/** Every place is signed out at once; answers how many there were. */
export async function revokeUserSessions(platform: Platform, actor: Actor, id: string): Promise<number> {
  const { meta } = platform
  if (!(await store.withShard(meta, id))) throw unknownUser()
  const [ended] = await meta.batch([
    store.deleteSessions(meta, id),
    auditEntry(platform, actor, { action: 'user.revoke_sessions', subject: { type: 'user', id } }),
  ])
  return ended.length
}

export function unknownUser(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such user.')
}

function userItem({ email_verified, ...user }: UserTable & { shard_id: string | null }) {
  return { ...user, email_verified: email_verified === 1 }
}
