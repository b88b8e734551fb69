import { type Expression, type Kysely, sql } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import { rowCount, rowCountsOf } from '../../../database/row-counts.ts'
import type { UserRow, UserTable } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Factors } from '../../../rules/caller.ts'
import { folded } from '../../../rules/folded.ts'

// Used in the batches and queries of other slices.

/** Inserts nothing if the address or the affiliate code is taken: both are unique. */
export function insertUserRow(meta: Meta, user: UserRow, lastSignInAt: number) {
  return insertUser(meta, {
    ...user,
    folded_name: folded(user.name),
    last_sign_in_at: lastSignInAt,
    noted_use_at: null,
  })
}

const insertUser = statement((meta: Meta, user: UserTable) =>
  meta
    .insertInto('user')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
)

export function userById(db: Kysely<MetaTables>, id: string) {
  return db.selectFrom('user').where('user.id', '=', id)
}

/** Takes no lock. If the row must not change, use `lockedUserByEmail`. */
export function userByEmail(db: Kysely<MetaTables>, email: string) {
  return db.selectFrom('user').where('user.email', '=', email)
}

/** Selects ids for a statement about some users. The caller adds a condition, and locks the users if necessary. */
export function userIds(db: Kysely<MetaTables>) {
  return db.selectFrom('user').select('user.id')
}

/** The address to show with an id. */
export function emailOf(db: Kysely<MetaTables>, userId: Expression<string | null>) {
  return db.selectFrom('user').select('user.email').where('user.id', '=', userId)
}

/** A column for another query. */
export function createdAtOf(db: Kysely<MetaTables>, userId: Expression<string>) {
  return db.selectFrom('user').select('user.created_at').where('user.id', '=', userId)
}

/** What the administrator sees of an id: the name, or the address of a user without one. */
export async function namesOfUsers(meta: Meta, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>()
  const rows = await meta.primary.selectFrom('user').select(['id', 'name', 'email']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name, email }) => [id, name || email]))
}

/** The columns that tell an application who its user is. */
export function people(db: Kysely<MetaTables>) {
  return usersToRestrict(db).select(['user.name', 'user.handle', 'user.image', 'user.updated_at'])
}

/** The columns that show whether a user lacks what the settings require. */
export function usersToRestrict(db: Kysely<MetaTables>) {
  const columns = ['user.id', 'user.role', 'user.factors', 'user.email', 'user.email_verified'] as const
  return db.selectFrom('user').select(columns)
}

export function updateUserRow(meta: Meta, id: string, changes: Partial<Omit<UserRow, 'id'>>) {
  const { name } = changes
  const found = name === undefined ? {} : { folded_name: folded(name) }
  return meta
    .updateTable('user')
    .set({ ...changes, ...found })
    .where('id', '=', id)
}

export const signedIn = statement((meta: Meta, id: string, now: number) =>
  meta.updateTable('user').set({ last_sign_in_at: now }).where('id', '=', id),
)

/** The user, as `setVerified` stores it. Keeps the time of the first proof. */
export function verified(user: UserTable, now: number): UserTable {
  return { ...user, email_verified: 1, email_proven_at: user.email_proven_at ?? now, updated_at: now }
}

export const setVerified = statement((meta: Meta, { id, email_verified, email_proven_at, updated_at }: UserTable) =>
  updateUserRow(meta, id, { email_verified, email_proven_at, updated_at }),
)

/** The whole row, locked for a decision, so that it stays as it is until the commit. */
export const lockedUser = statement((meta: Meta, id: string) => userById(meta, id).selectAll().$call(lockRows(meta)))

export const lockedUserByEmail = statement((meta: Meta, email: string) =>
  userByEmail(meta, email).selectAll().$call(lockRows(meta)),
)

/** Users whose address is not verified, in the order of their ids. Takes no lock: a deletion checks again. */
export function unverifiedUsers(meta: Meta, afterId: string, atMost: number) {
  return meta
    .selectFrom('user')
    .selectAll()
    .where('email_verified', '=', 0)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(atMost)
}

export function noteUse(meta: Meta, id: string, usedAt: number) {
  return meta.updateTable('user').set({ noted_use_at: usedAt }).where('id', '=', id)
}

/** Every row of the global store that names the user is deleted with it. */
export function deleteUserRow(meta: Meta, id: string) {
  return meta.deleteFrom('user').where('id', '=', id)
}

export function countUsers(meta: Meta) {
  return rowCount(meta, 'user')
}

/** Sign-ups by day, numbered since the epoch. */
export function signUpsByDay(meta: Meta, days: readonly number[]) {
  return rowCountsOf(meta, 'sign_up', days.map(String))
}

/** Runs after `insertUserRow`, to show which of its unique values was taken. */
export const holderOfAffiliateCode = statement((meta: Meta, affCode: string) =>
  meta.selectFrom('user').select('id').where('aff_code', '=', affCode),
)

/** The user must be locked; every change of factors locks the user first. */
export function setFactors(meta: Meta, id: string, factors: Expression<Factors>) {
  return meta.updateTable('user').set({ factors }).where('id', '=', id)
}

export function countSignUps(meta: Meta, from: number, until: number) {
  return meta
    .selectFrom('user')
    .select((eb) => eb.fn.countAll<number>().as('users'))
    .where('created_at', '>=', from)
    .where('created_at', '<', until)
}

/**
 * Users who can get a letter about a notification, in the order of ids. Takes no lock: whether a user can get it is
 * checked again when it is sent.
 */
export function addressees(
  meta: Meta,
  afterId: string,
  { target_user_id, created_at }: { readonly target_user_id: string | null; readonly created_at: number },
  atMost: number,
) {
  return reachable(meta)
    .where('id', '>', afterId)
    .where('created_at', '<=', created_at)
    .$if(target_user_id !== null, (query) => query.where('id', '=', target_user_id))
    .orderBy('id')
    .limit(atMost)
}

/** Takes no lock, for the same reason. */
export function addressee(meta: Meta, id: string) {
  return reachable(meta).where('id', '=', id)
}

function reachable(meta: Meta) {
  return meta
    .selectFrom('user')
    .select(['id', 'email'])
    .where('email_verified', '=', 1)
    .where('suspended_at', 'is', null)
}

/**
 * Undefined only before the first preparation has created the administrator. The role is a literal, so that a prepared
 * statement can use the partial index too.
 */
export function findAdministrator(meta: Meta) {
  return meta.primary.selectFrom('user').selectAll().where('role', '=', sql.lit('administrator')).executeTakeFirst()
}

export async function usersByEmails(meta: Meta, emails: readonly string[]) {
  if (emails.length === 0) return []
  return meta.primary.selectFrom('user').select(['id', 'email']).where('email', 'in', emails).execute()
}

export function findUserByEmail(meta: Meta, email: string) {
  return meta.primary.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst()
}

export function findUser(meta: Meta, id: string) {
  return userById(meta.primary, id).selectAll().executeTakeFirst()
}
