import { type Compilable, type Expression, type Kysely, sql } from 'kysely'
import type { AccountTable, MetaTables, UserTable } from '../../database/schema.ts'
import { ConstraintViolation, type Meta } from '../../database/store.ts'
import type { Incoming, IncomingAccount } from './importing.ts'

/**
 * User, account and shard assignment in one commit, and only if the address, the affiliate code and
 * the provider's id are all free. The rest of the batch depends on the user's row being there.
 */
export async function insertUser(
  meta: Meta,
  user: UserTable,
  account: AccountTable,
  shardId: string,
  alongside: readonly Compilable<unknown>[],
): Promise<boolean> {
  const statements = [
    meta
      .insertInto('user')
      .values(user)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id'),
    insertAccountOf(meta, account),
    insertAssignmentOf(meta, user, shardId),
    ...alongside,
  ] as const
  const [made] = await meta.batch(statements).catch(nothingWhereTaken)
  return made.length === 1
}

/** The provider's account belongs to somebody else: no part of the batch stands. */
function nothingWhereTaken(error: unknown): readonly [readonly []] {
  if (error instanceof ConstraintViolation && error.kind === 'unique') return [[]]
  throw error
}

function insertAccountOf(meta: Kysely<MetaTables>, account: AccountTable) {
  return meta
    .insertInto('account')
    .columns([
      'id',
      'user_id',
      'provider',
      'provider_account_id',
      'password_hash',
      'password_is_initial',
      'created_at',
      'updated_at',
    ])
    .expression((db) =>
      db
        .selectFrom('user')
        .select([
          sql.val(account.id).as('id'),
          'user.id as user_id',
          sql.val(account.provider).as('provider'),
          sql.val(account.provider_account_id).as('provider_account_id'),
          sql.val(account.password_hash).as('password_hash'),
          sql.lit(account.password_is_initial).as('password_is_initial'),
          'user.created_at',
          'user.updated_at',
        ])
        .where('user.id', '=', account.user_id),
    )
}

function insertAssignmentOf(meta: Kysely<MetaTables>, user: UserTable, shardId: string) {
  return meta
    .insertInto('user_shards')
    .columns(['user_id', 'shard_id', 'created_at'])
    .expression((db) =>
      db
        .selectFrom('user')
        .select(['user.id as user_id', sql.val(shardId).as('shard_id'), 'user.created_at'])
        .where('user.id', '=', user.id),
    )
}

export async function isAffiliateCodeTaken(meta: Meta, affCode: string): Promise<boolean> {
  const row = await meta.primary
    .selectFrom('user')
    .select('id')
    .where('aff_code', '=', affCode)
    .executeTakeFirst()
  return row !== undefined
}

export function credentialByEmail(meta: Meta, email: string) {
  return meta.primary
    .selectFrom('user')
    .innerJoin('account', 'account.user_id', 'user.id')
    .selectAll('user')
    .select(['account.password_hash', 'account.password_is_initial'])
    .where('user.email', '=', email)
    .where('account.provider', '=', 'credential')
    .executeTakeFirst()
}

export function markVerified(meta: Meta, email: string, onlyIf: Expression<unknown>, now: number) {
  return meta
    .updateTable('user')
    .set({ email_verified: 1, updated_at: now })
    .where('email', '=', email)
    .where(({ exists }) => exists(onlyIf))
    .returningAll()
}

export async function updateUser(
  meta: Meta,
  userId: string,
  changes: Partial<Pick<UserTable, 'name' | 'image'>> & Pick<UserTable, 'updated_at'>,
): Promise<void> {
  await meta.updateTable('user').set(changes).where('id', '=', userId).execute()
}

export function setCreated(meta: Meta, userId: string, createdAt: number) {
  return meta.updateTable('user').set({ created_at: createdAt }).where('id', '=', userId)
}

/** A further account of somebody who comes in with this batch. */
export function insertIncomingAccount(meta: Meta, id: string, user: Incoming, account: IncomingAccount) {
  return insertAccountOf(meta, {
    id,
    user_id: user.id,
    provider: account.provider,
    provider_account_id: account.provider === 'credential' ? user.id : account.providerAccountId,
    password_hash: account.passwordHash,
    password_is_initial: 0,
    created_at: user.createdAt,
    updated_at: user.createdAt,
  })
}
