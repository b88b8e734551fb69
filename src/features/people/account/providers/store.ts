import type { InferResult, Kysely } from 'kysely'
import type { AccountTable, Provider, ProviderFlowTable } from '../../../../database/schema/people/account.ts'
import type { UserTable } from '../../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { sweepRows } from '../../../../database/sql/sweep-rows.ts'
import { ConstraintViolation, type Meta } from '../../../../database/store.ts'
import type { SocialProvider } from '../../../ground/provider-presets/presets.ts'
import { CAN_SIGN_IN } from '../store.ts'

/** An account at a provider. The id alone is not enough, since another server can have the same ids. */
export interface ProviderAccount {
  readonly provider: SocialProvider
  readonly issuer: string
  readonly id: string
}

export interface SignInMethod {
  readonly provider: Provider
  readonly issuer: string
}

/** Returns false if the user who wants to link was deleted: the foreign key waits for a deletion in progress. */
export async function insertFlow(meta: Meta, row: ProviderFlowTable): Promise<boolean> {
  try {
    await meta.insertInto('provider_flow').values(row).execute()
    return true
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'foreign-key') return false
    throw error
  }
}

/** If several requests have the same state, one of them gets the flow. */
export function deleteFlow(meta: Meta, stateHash: string, browserHash: string, provider: SocialProvider) {
  return meta
    .deleteFrom('provider_flow')
    .where('state_hash', '=', stateHash)
    .where('browser_hash', '=', browserHash)
    .where('provider', '=', provider)
    .returning(['sealed', 'link_user_id', 'expires_at'])
    .executeTakeFirst()
}

export function deleteExpiredFlows(meta: Meta, now: number): Promise<void> {
  return sweepRows(meta, 'provider_flow', 'state_hash', (row) => row('expires_at', '<=', now))
}

export function userIdByAccount(meta: Meta, account: ProviderAccount) {
  return accountAt(meta, account).executeTakeFirst()
}

/** The account is unique, so a concurrent insert is refused. */
export function accountAt(meta: Meta, { provider, issuer, id }: ProviderAccount) {
  return meta.primary
    .selectFrom('account')
    .select('user_id')
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .where('provider_account_id', '=', id)
}

/** Returns the accounts that follow `after` in the order of the index. */
export async function accountsAfter(
  meta: Meta,
  provider: SocialProvider,
  after: ProviderAccount | undefined,
  limit: number,
): Promise<readonly ProviderAccount[]> {
  const rows = await meta.primary
    .selectFrom('account')
    .select(['issuer', 'provider_account_id as id'])
    .where('provider', '=', provider)
    .where((eb) =>
      eb(eb.refTuple('issuer', 'provider_account_id'), '>', eb.tuple(after?.issuer ?? '', after?.id ?? '')),
    )
    .orderBy('issuer')
    .orderBy('provider_account_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ provider, ...row }))
}

/** The user must be locked. */
export function accountsAt(meta: Meta, userId: string, provider: SocialProvider) {
  return meta
    .selectFrom('account')
    .select('account.id')
    .where('account.user_id', '=', userId)
    .where('provider', '=', provider)
}

/**
 * Deletes the linked accounts and the password from before the address was proven: they may belong to somebody who
 * does not own it. At the first proof these are all of them. The user must be locked; every link locks the user first.
 */
export function deleteUnprovenAccounts(meta: Meta, { id, email_proven_at }: UserTable) {
  return meta
    .deleteFrom('account')
    .where('user_id', '=', id)
    .where('created_at', '<', email_proven_at ?? Number.MAX_SAFE_INTEGER)
}

/** Returns a row if the user still has this account. The user must be locked. */
export function accountOfUser(meta: Meta, userId: string, account: ProviderAccount) {
  return accountAt(meta, account).where('user_id', '=', userId)
}

/** Accounts that let the user in; every change of them locks the user's row. */
export function accountRowsOf(meta: Meta, userId: string) {
  return meta.primary
    .selectFrom('account')
    .select([
      'id',
      'user_id',
      'provider',
      'issuer',
      'provider_account_id',
      'password_is_initial',
      'created_at',
      'updated_at',
    ])
    .where('user_id', '=', userId)
    .where(CAN_SIGN_IN)
    .orderBy('created_at')
    .orderBy('id')
}

export type AccountRow = InferResult<ReturnType<typeof accountRowsOf>>[number]

type LinkedAccount = Omit<AccountTable, 'password_hash' | 'password_is_initial' | 'breached_at'>

export function insertAccount(meta: Meta, account: LinkedAccount) {
  return meta.insertInto('account').values({ ...account, password_hash: null, password_is_initial: 0 })
}

export function isTaken(error: unknown): boolean {
  return error instanceof ConstraintViolation && error.kind === 'unique' && error.table === 'account'
}

export function deleteAccount(meta: Meta, id: string) {
  return meta.deleteFrom('account').where('id', '=', id)
}

/** Returns a row if one of these methods lets the user in. The user must be locked. */
export function accountToSignInWith(meta: Kysely<MetaTables>, userId: string, methods: readonly SignInMethod[]) {
  return meta
    .selectFrom('account as other')
    .select('other.user_id')
    .where('other.user_id', '=', userId)
    .where(CAN_SIGN_IN)
    .where(({ or, and }) =>
      or(methods.map(({ provider, issuer }) => and({ 'other.provider': provider, 'other.issuer': issuer }))),
    )
}
