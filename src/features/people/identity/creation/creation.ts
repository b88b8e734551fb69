import type { Compilable } from 'kysely'
import { v7 as newId } from 'uuid'
import type { Guard } from '../../../../database/guard.ts'
import type { AccountTable } from '../../../../database/schema/people/identity.ts'
import type { UserRow } from '../../../../database/schema/people/users.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { CLEAR_CHARACTERS, randomCode } from '../../../../rules/tokens.ts'
import { insertEventIf, userEventRow } from '../../../ground/events/statements.ts'
import { whileSettingsAre } from '../../../ground/settings/holding.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { openCredits, signupRewardIn } from '../../../operations/credits/credits.ts'
import { chooseShard } from '../../../tenancy/shards/shards.ts'
import type { Assignment } from '../../../tenancy/shards/statements.ts'
import { isAffiliateCodeTaken, userOnly } from '../../users/statements.ts'
import * as store from '../store.ts'
import type { NewUser } from './new-user.ts'

/**
 * One batch in the global store: user, account, shard assignment, and the caller's further statements.
 * Undefined if the address or the provider's account is taken.
 */
export async function createUser(
  platform: Platform,
  settings: Settings,
  newUser: NewUser,
  alongside: Alongside,
  { guard, chance }: Circumstances = {},
): Promise<UserRow | undefined> {
  const made = await insertUser(platform, settings, newUser, alongside, { guard, chance })
  if (made) await openCreditsOrLeaveThem(platform, made.user.id, made.assignment)
  return made?.user
}

/**
 * For a response that must not reveal, even by its timing, that the address was free: the balance is not
 * created here, because for a taken address there would be none. It is created when it is first read.
 */
export async function createUserQuietly(
  platform: Platform,
  settings: Settings,
  newUser: NewUser,
  alongside: Alongside,
): Promise<UserRow | undefined> {
  const guard = whileSettingsAre(platform.meta, settings)
  return (await insertUser(platform, settings, newUser, alongside, { guard }))?.user
}

/** Called once the user's own event is made, so that events of these statements come after it. */
export type Alongside = () => readonly Compilable<unknown>[]

interface Circumstances {
  readonly guard?: Guard | undefined
  readonly chance?: (() => string) | undefined
}

async function newAssignment(
  platform: Platform,
  settings: Settings,
  { continent }: NewUser,
): Promise<Assignment> {
  return { shardId: await chooseShard(platform, continent), signupReward: signupRewardIn(settings) }
}

/** The user that would have been created, for responses that must not reveal that none was. */
export function fakeUserFor(platform: Platform, newUser: NewUser): UserRow {
  const now = platform.now()
  return {
    id: newUser.id,
    name: newUser.name,
    email: newUser.email,
    email_verified: newUser.emailVerified ? 1 : 0,
    email_proven_at: newUser.emailVerified ? now : null,
    image: newUser.image,
    aff_code: newAffiliateCode(),
    registration_utm_source: newUser.registrationUtmSource,
    role: newUser.role,
    factors: '',
    suspended_at: null,
    suspension_reason: null,
    created_at: now,
    updated_at: now,
  }
}

/** With an affiliate code that is free, in a shard that is active at the commit. */
async function insertUser(
  platform: Platform,
  settings: Settings,
  newUser: NewUser,
  alongside: Alongside,
  { guard, chance = newAffiliateCode }: Circumstances,
): Promise<{ readonly user: UserRow; readonly assignment: Assignment } | undefined> {
  const { meta } = platform
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const assignment = await newAssignment(platform, settings, newUser)
    const user = { ...fakeUserFor(platform, newUser), aff_code: chance() }
    const event = createdEvent(platform, user, newUser)
    const account = accountOf(user, newUser)
    const statements = [event, ...alongside()]
    const outcome = await store.insertUserWithAccount(meta, user, account, assignment, statements, guard)
    if (outcome === 'made') return { user, assignment }
    if (outcome === 'taken' && !(await isAffiliateCodeTaken(meta, user.aff_code))) return undefined
  }
  throw new Error('no affiliate code is free, or every shard is drained as soon as it is chosen')
}

/** Inserts nothing if the batch creates no user. */
function createdEvent({ meta, now }: Platform, user: UserRow, { provider }: NewUser) {
  const data = { email: user.email, name: user.name, email_verified: user.email_verified === 1, provider }
  const row = userEventRow({ type: 'user.created', user_id: user.id, data }, now())
  return insertEventIf(meta, row, userOnly(meta, user.id))
}

// There are 31^8 codes; with a million users, one attempt in 850,000 meets a taken code.
const MOST_ATTEMPTS = 10

/**
 * No transaction spans both stores: the user exists by now, whatever the shard does, so the request succeeds. A
 * missing balance is created when it is first read (accepted).
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

function accountOf(user: UserRow, newUser: NewUser): AccountTable {
  return {
    id: newId(),
    user_id: user.id,
    provider: newUser.provider,
    issuer: newUser.issuer,
    provider_account_id: newUser.providerAccountId ?? user.id,
    password_hash: newUser.passwordHash,
    password_is_initial: newUser.passwordIsInitial ? 1 : 0,
    created_at: user.created_at,
    updated_at: user.created_at,
  }
}

function newAffiliateCode(): string {
  return randomCode(CLEAR_CHARACTERS, 8)
}
