import type { Query, Rows } from '../../../database/decision.ts'
import { Overtaken } from '../../../database/overtaken.ts'
import type { AccountRow } from '../../../database/schema/people/account.ts'
import type { UserRow } from '../../../database/schema/people/users.ts'
import { ConstraintViolation } from '../../../database/store.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import type { JsonObject } from '../../../rules/json-object.ts'
import type { DataPatch } from '../../../rules/product-data.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { CLEAR_CHARACTERS, randomCode } from '../../../rules/tokens.ts'
import { type Act, type Doer, decide, type Refused } from '../../ground/acts/acts.ts'
import { type AskedProduct, type HookQuestion, methodOf } from '../../ground/hooks/asking.ts'
import { refuseOtherSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { heldRevision } from '../../ground/settings/statements.ts'
import { createCredits, signupRewardIn } from '../../operations/credits/credits.ts'
import { chooseShard, recentUsers } from '../../tenancy/shards/shards.ts'
import { type Assignment, heldShards, insertAssignment } from '../../tenancy/shards/statements.ts'
import { firstData } from '../product-data/product-data.ts'
import { preparedFormerAddress } from '../users/email-changes.ts'
import { holderOfAffiliateCode, insertUserRow } from '../users/statements.ts'
import * as store from './store.ts'

/** A new user with one account, by the names of their columns. */
export interface NewUser
  extends Pick<
      UserRow,
      'id' | 'email' | 'name' | 'handle' | 'email_verified' | 'image' | 'role' | 'registration_utm_source'
    >,
    Omit<AccountRow, 'id' | 'user_id' | 'created_at' | 'updated_at'> {
  readonly continent: string | undefined
  /** 0 unless the decision that makes the user opens a session too. */
  readonly last_sign_in_at: number
  /** What the user tells the product at once. */
  readonly own: JsonObject | undefined
  readonly way: 'sign-up' | 'invitation'
  /** The product, for a way in before which it is asked. */
  readonly asked: AskedProduct | undefined
}

/** The defaults are those of a user who has no credential yet and did not sign up. */
export function newUser({ id = newId(), ...given }: Partial<NewUser> & Pick<NewUser, 'email' | 'name'>): NewUser {
  return {
    id,
    email_verified: 0,
    handle: null,
    image: null,
    role: 'user',
    provider: 'credential',
    issuer: '',
    provider_account_id: id,
    password_hash: null,
    password_is_initial: 0,
    registration_utm_source: null,
    continent: undefined,
    last_sign_in_at: 0,
    own: undefined,
    way: 'sign-up',
    asked: undefined,
    ...given,
  }
}

// The most that a browser keeps in one cookie.
const LONGEST_SOURCE = 4_096

/**
 * The campaign a user comes from, as it was sent. Read from the cookie only: a parameter or body field says nothing
 * about it. Values that no browser could have stored, or that PostgreSQL cannot store, are ignored.
 */
export function originOf({ exchange, sender }: Call) {
  const source = exchange.cookie('registration_utm_source') ?? null
  const isKept = source !== null && source.length <= LONGEST_SOURCE && !source.includes('\0')
  return { registration_utm_source: isKept ? source : null, continent: sender.continent }
}

export interface Created {
  readonly user: UserRow
  readonly assignment: Assignment
}

/**
 * Decides about a newcomer under these settings, or is overtaken (`bySettings`): writes the user with account, shard
 * and event, unless the address is taken. The caller writes the rest.
 */
export async function decideNewcomer<const Queries extends readonly Query[], T>(
  doer: Doer,
  settings: Settings,
  newcomer: NewUser,
  first: Queries,
  work: (act: Act, created: Created | undefined, ...rows: Rows<Queries>) => Promise<T | Refused>,
  affCode = newAffiliateCode(),
): Promise<T> {
  const { platform } = doer
  const { meta } = platform
  const users = await recentUsers(platform)
  const user = userRow(platform, newcomer, affCode)
  const decided = () =>
    decide(
      doer,
      [
        heldRevision(meta),
        heldShards(meta),
        insertUserRow(meta, user, newcomer.last_sign_in_at),
        holderOfAffiliateCode(meta, user.aff_code),
        preparedFormerAddress(meta, user.email, user.created_at),
        ...first,
      ],
      async (act, revisions, shards, [inserted], [holder], [former], ...rows) => {
        refuseOtherSettings(settings, revisions)
        // There are 31^8 codes; with a million users, one attempt in 850,000 meets a taken code.
        if (!inserted && holder) throw new Overtaken('the affiliate code is taken')
        if (inserted && former) throw new Overtaken('the address was given up a moment ago')
        const place = () => chooseShard(platform, shards, users, newcomer.continent)
        const created = inserted && { user, assignment: { shardId: place(), signupReward: signupRewardIn(settings) } }
        // Asked for a taken address too, so that nothing shows which it is.
        const given = settings.hooks.before_sign_up.enabled ? newcomer.asked?.answerTo(questionOf(newcomer)) : undefined
        if (created) insertNewcomer(act, platform, newcomer, created, given?.data)
        return work(act, created, ...(rows as unknown as Rows<Queries>))
      },
    )
  return newcomer.asked ? newcomer.asked.around(decided) : decided()
}

function questionOf({ email, name, email_verified, ...newcomer }: NewUser): HookQuestion {
  const { provider, password_hash, way } = newcomer
  const credential = provider === 'credential' && password_hash === null ? 'passkey' : methodOf(provider)
  const method = way === 'invitation' ? way : credential
  return { user: { id: null, email, name, email_verified: email_verified === 1 }, method }
}

function insertNewcomer(
  act: Act,
  platform: Platform,
  newcomer: NewUser,
  { user, assignment }: Created,
  given: DataPatch | undefined,
): void {
  const { meta } = platform
  const { provider, issuer, provider_account_id, password_hash, password_is_initial } = newcomer
  const account = { provider, issuer, provider_account_id, password_hash, password_is_initial }
  const times = { created_at: user.created_at, updated_at: user.created_at }
  act.write(
    store.insertAccount(meta, { id: newId(), user_id: user.id, ...account, ...times }),
    insertAssignment(meta, user, assignment),
  )
  const { id, email, name, image } = user
  const data = { email, name, image, email_verified: user.email_verified === 1, provider }
  act.record('user.created', { user, subject: { type: 'user', id }, data })
  if (newcomer.own ?? given) firstData(act, platform, id, [{ own: newcomer.own }, { ...given }], 'merged')
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
    staff_scopes: null,
    suspended_at: null,
    suspension_reason: null,
  }
}

/**
 * Handler for `catch` after a decision: undefined if the provider's account belongs to somebody else, or the id to a
 * user with a shard.
 */
export function undefinedIfTaken(error: unknown): undefined {
  if (error instanceof ConstraintViolation && error.kind === 'unique') {
    if (error.table === 'account' || error.table === 'user_shards') return undefined
  }
  throw error
}

/**
 * No transaction spans both stores: the user exists by now, whatever the shard does, so the request succeeds. A
 * missing balance is created when it is first read (accepted).
 */
export async function createBalance(platform: Platform, { user, assignment }: Created): Promise<void> {
  const { shardId, signupReward } = assignment
  try {
    await createCredits(platform, signupReward, user.id, shardId)
  } catch (error) {
    platform.log.error({ error, user: user.id, shard: shardId }, 'a new user has no balance yet')
  }
}

function newAffiliateCode(): string {
  return randomCode(CLEAR_CHARACTERS, 8)
}

/** Handler for `catch` after a decision that gives a user another address. */
export function refuseIfAddressTaken(error: unknown): never {
  const isTaken = error instanceof ConstraintViolation && error.kind === 'unique' && error.table === 'user'
  throw isTaken ? addressTaken() : error
}

export function addressTaken(): Refusal {
  return new Refusal('USER_ALREADY_EXISTS', 'There is already an account with this address.')
}
