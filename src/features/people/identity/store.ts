import { type Compilable, type Kysely, type SqlBool, sql } from 'kysely'
import { batchBehind, type Guard } from '../../../database/guard.ts'
import type { AccountTable } from '../../../database/schema/people/identity.ts'
import type { UserRow } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { insertWhere } from '../../../database/sql/insert-where.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import { type Assignment, insertAssignment, isDrained } from '../../tenancy/shards/statements.ts'
import * as users from '../users/statements.ts'
import type { Incoming, IncomingAccount } from './creation/incoming.ts'

/**
 * User, account and shard assignment in one commit, and only if the address, the affiliate code and
 * the provider's id are all free, and the shard still takes users. The rest of the batch reads the row of the user that
 * it has just inserted.
 */
export async function insertUserWithAccount(
  meta: Meta,
  user: UserRow,
  account: AccountTable,
  assignment: Assignment,
  alongside: readonly Compilable<unknown>[],
  guard?: Guard,
): Promise<'made' | 'taken' | 'drained'> {
  const insertion = users.insertUserRow(meta, user)
  try {
    const rows = await batchBehind(meta, guard, [
      insertion,
      insertAccountOf(meta, account),
      insertAssignment(meta, user.id, assignment),
      ...alongside,
    ])
    return rows.of(insertion).length === 1 ? 'made' : 'taken'
  } catch (error) {
    if (isTaken(error)) return 'taken'
    if (isDrained(error)) return 'drained'
    throw error
  }
}

/** The provider's account belongs to somebody else, or the id to a user with a shard, so the whole batch is undone. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof ConstraintViolation) || error.kind !== 'unique') return false
  return error.table === 'account' || error.table === 'user_shards'
}

/** Reads the user that this batch has made; the address and the id at the provider are unique. */
function insertAccountOf(meta: Meta, account: AccountTable) {
  return insertWhere(meta, 'account', account, users.userById(meta, account.user_id))
}

export function credentialByEmail(meta: Meta, email: string) {
  return users
    .userByEmail(meta.primary, email)
    .innerJoin('account', 'account.user_id', 'user.id')
    .selectAll('user')
    .select(['account.password_hash', 'account.password_is_initial'])
    .where('account.provider', '=', 'credential')
    .executeTakeFirst()
}

/** Of an account. A user who was invited, was imported or signed up with a passkey can have one without a password. */
export const CAN_SIGN_IN = sql<SqlBool>`(provider <> 'credential' or password_hash is not null)`

/**
 * The user with this address, if nobody can sign in yet, and there is no factor that an invitation would bypass. For a
 * decision that has locked the user.
 */
export function unclaimedUser(meta: Kysely<MetaTables>, email: string) {
  const wayIn = meta
    .selectFrom('account')
    .select('account.id')
    .where('account.user_id', '=', sql.ref<string>('user.id'))
    .where(CAN_SIGN_IN)
  return users
    .userByEmail(meta, email)
    .select('user.id')
    .where('user.factors', '=', '')
    .where(({ not, exists }) => not(exists(wayIn)))
}

/** Another account of a user whom this batch creates. */
export function insertIncomingAccount(meta: Meta, id: string, user: Incoming, account: IncomingAccount) {
  return insertAccountOf(meta, {
    id,
    user_id: user.id,
    provider: account.provider,
    issuer: account.issuer,
    provider_account_id: account.provider === 'credential' ? user.id : account.providerAccountId,
    password_hash: account.passwordHash,
    password_is_initial: 0,
    created_at: user.createdAt,
    updated_at: user.createdAt,
  })
}
