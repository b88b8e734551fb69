import type { Compilable } from 'kysely'
import { v7 as newId } from 'uuid'
import { Overtaken } from '../../../database/guard.ts'
import type { AccountTable } from '../../../database/schema/people/account.ts'
import type { UserRow } from '../../../database/schema/people/users.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { CLEAR_CHARACTERS, randomCode } from '../../../rules/tokens.ts'
import { insertEvent, userEventRow } from '../../ground/events/statements.ts'
import { heldRevision, refuseOtherSettings } from '../../ground/settings/holding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { openCredits, signupRewardIn } from '../../operations/credits/credits.ts'
import { chooseShard } from '../../tenancy/shards/shards.ts'
import { type Assignment, activeShard, insertAssignment } from '../../tenancy/shards/statements.ts'
import { insertUserRow, isAffiliateCodeTaken } from '../users/statements.ts'
import type { NewUser } from './new-user.ts'
import * as store from './store.ts'

/**
 * One decision in the global store: user, account, shard assignment, and the caller's further statements; then the
 * balance. Undefined if the address or the provider's account is taken. For `bySettings`: by the settings that are
 * given, or not at all.
 */
export async function createUser(
  platform: Platform,
  settings: Settings,
  newcomer: NewUser,
  alongside: Alongside,
): Promise<UserRow | undefined> {
  const made = await insertUser(platform, settings, newcomer, alongside)
  if (made) await openCreditsOrLeaveThem(platform, made.user.id, made.assignment)
  return made?.user
}

/** Called once the user's own event is made, so that events of these statements come after it. */
export type Alongside = () => readonly Compilable<unknown>[]

/** Makes no balance, which is created when it is first read. Uses an affiliate code that is free. */
export async function insertUser(
  platform: Platform,
  settings: Settings,
  newcomer: NewUser,
  alongside: Alongside,
  chance = newAffiliateCode,
): Promise<{ readonly user: UserRow; readonly assignment: Assignment } | undefined> {
  const shardId = await chooseShard(platform, newcomer.continent)
  const assignment = { shardId, signupReward: signupRewardIn(settings) }
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const user = userRow(platform, newcomer, chance())
    const statements = [
      store.insertAccount(platform.meta, accountRow(newcomer, user.created_at)),
      insertAssignment(platform.meta, user, assignment),
      createdEvent(platform, user, newcomer),
      ...alongside(),
    ]
    if (await isInserted(platform.meta, settings, user, shardId, statements)) return { user, assignment }
    if (!(await isAffiliateCodeTaken(platform.meta, user.aff_code))) return undefined
  }
  throw new Error('no affiliate code is free')
}

/** Also builds the decoy user. */
export function userRow({ now }: Platform, newcomer: NewUser, affCode = newAffiliateCode()): UserRow {
  const { id, email, name, handle, email_verified, image, role, registration_utm_source } = newcomer
  const created_at = now()
  return {
    ...{ id, email, name, handle, email_verified, image, role, registration_utm_source, created_at },
    updated_at: created_at,
    email_proven_at: email_verified ? created_at : null,
    aff_code: affCode,
    factors: '',
    suspended_at: null,
    suspension_reason: null,
  }
}

function accountRow(
  { id: user_id, provider, issuer, provider_account_id, password_hash, password_is_initial }: NewUser,
  now: number,
): AccountTable {
  const account = { user_id, provider, issuer, provider_account_id, password_hash, password_is_initial }
  return { id: newId(), ...account, created_at: now, updated_at: now }
}

/** False if the address, the affiliate code or the provider's account is taken. */
async function isInserted(
  meta: Meta,
  settings: Settings,
  user: UserRow,
  shardId: string,
  statements: readonly Compilable<unknown>[],
): Promise<boolean> {
  const read = [heldRevision(meta), activeShard(meta, shardId), insertUserRow(meta, user)] as const
  try {
    return await meta.decide(read, async (decision, revisions, [shard], [inserted]) => {
      refuseOtherSettings(settings, revisions)
      if (!shard) throw new Overtaken('the shard was drained before the decision')
      if (!inserted) return false
      decision.write(...statements)
      return true
    })
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

/** The provider's account belongs to somebody else, or the id to a user with a shard, so nothing is written. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof ConstraintViolation) || error.kind !== 'unique') return false
  return error.table === 'account' || error.table === 'user_shards'
}

function createdEvent({ meta, now }: Platform, user: UserRow, { provider }: NewUser) {
  const data = { email: user.email, name: user.name, email_verified: user.email_verified === 1, provider }
  return insertEvent(meta, userEventRow({ type: 'user.created', user_id: user.id, data }, now()))
}

// There are 31^8 codes; with a million users, one attempt in 850,000 meets a taken code.
const MOST_ATTEMPTS = 10

/**
 * No transaction spans both stores: the user exists by now, whatever the shard does, so the request succeeds. A missing
 * balance is created when it is first read (accepted).
 */
async function openCreditsOrLeaveThem(
  platform: Platform,
  userId: string,
  { shardId, signupReward }: Assignment,
): Promise<void> {
  try {
    await openCredits(platform, signupReward, userId, shardId)
  } catch (error) {
    platform.log.error({ error, user: userId, shard: shardId }, 'a new user has no balance yet')
  }
}

function newAffiliateCode(): string {
  return randomCode(CLEAR_CHARACTERS, 8)
}

export function addressTaken(): Refusal {
  return new Refusal('USER_ALREADY_EXISTS', 'There is already an account with this address.')
}
