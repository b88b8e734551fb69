import { randomInt } from 'node:crypto'
import type { Compilable } from 'kysely'
import { v7 as newId } from 'uuid'
import { Refusal } from '../../http/refusal.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Provider, Role, UserTable } from '../../store/schema.ts'
import { openCredits } from '../credits/credits.ts'
import type { Settings } from '../settings/settings.ts'
import { chooseShard } from '../shards/shards.ts'
import * as store from './store.ts'

export interface Newborn {
  readonly email: string
  readonly name: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly role: Role
  readonly provider: Provider
  /** Undefined for `credential`: the account is known by the user's own id. */
  readonly providerAccountId: string | undefined
  readonly passwordHash: string | null
  readonly passwordIsInitial: boolean
  readonly registrationUtmSource: string | null
  readonly continent: string | undefined
}

/**
 * One batch in the global store: user, account, shard assignment, and what the caller adds for the
 * same commit. Undefined where the address is taken. The shard follows with the balance.
 */
export async function createUser(
  platform: Platform,
  settings: Settings,
  newborn: Newborn,
  alongside: (userId: string) => readonly Compilable<unknown>[],
): Promise<UserTable | undefined> {
  const shardId = await chooseShard(platform, newborn.continent)
  const user = await insertWithFreeAffiliateCode(platform, newborn, shardId, alongside)
  // No transaction spans both stores: a stop here leaves a user without a balance (accepted, heals later).
  if (user) await openCredits(platform, settings, user.id, shardId)
  return user
}

/** The hook before every creation, whatever the way in. */
export function refuseClosedRegistration({ authentication }: Settings): void {
  if (!authentication.registration_enabled) {
    throw new Refusal('REGISTRATION_DISABLED', 'New accounts are not accepted right now.')
  }
}

async function insertWithFreeAffiliateCode(
  platform: Platform,
  newborn: Newborn,
  shardId: string,
  alongside: (userId: string) => readonly Compilable<unknown>[],
): Promise<UserTable | undefined> {
  for (;;) {
    const user = userRow(platform, newborn)
    const account = accountRow(user, newborn)
    const isMade = await store.insertUser(platform.meta, user, account, shardId, alongside(user.id))
    if (isMade) return user
    if (!(await store.isAffiliateCodeTaken(platform.meta, user.aff_code))) return undefined
  }
}

function userRow(platform: Platform, newborn: Newborn): UserTable {
  const now = platform.now()
  return {
    id: newId(),
    name: newborn.name,
    email: newborn.email,
    email_verified: newborn.emailVerified ? 1 : 0,
    image: newborn.image,
    aff_code: newAffiliateCode(),
    registration_utm_source: newborn.registrationUtmSource,
    role: newborn.role,
    created_at: now,
    updated_at: now,
  }
}

function accountRow(user: UserTable, newborn: Newborn) {
  return {
    id: newId(),
    user_id: user.id,
    provider: newborn.provider,
    provider_account_id: newborn.providerAccountId ?? user.id,
    password_hash: newborn.passwordHash,
    password_is_initial: newborn.passwordIsInitial ? 1 : 0,
    created_at: user.created_at,
    updated_at: user.created_at,
  } as const
}

const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

function newAffiliateCode(): string {
  return Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}
