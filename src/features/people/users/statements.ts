import { type Expression, type Kysely, sql } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import { rowCount, rowCountsOf } from '../../../database/row-counts.ts'
import type { UserRow, UserTable } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Condition } from '../../../database/sql/conditions.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Factors } from '../../../rules/caller.ts'
import { folded } from '../../../rules/folded.ts'
import { formerAddress } from './email-changes.ts'

// Used in the batches and queries of other slices.

/**
 * Inserts nothing if the address or the affiliate code is taken (both are unique), or the address was somebody's until
 * lately, which is checked again after it: the address can be given up at this moment.
 */
export function insertUserRow(meta: Meta, user: UserRow, lastSignInAt: number) {
  return insertUser(meta, {
    ...user,
    folded_name: folded(user.name),
    last_sign_in_at: lastSignInAt,
    noted_use_at: null,
    language: null,
    staff_since: null,
  })
}

/** The address is unique; `formerAddress` is checked again after it. */
const insertUser = statement((meta: Meta, user: UserTable) => {
  const columns = sql.join(Object.keys(user).map((name) => sql.ref(name)))
  const former = formerAddress(meta, user.email, user.created_at)
  const insert = sql<{ readonly id: string }>`insert into "user" (${columns})
    select ${sql.join(Object.values(user))} where not exists ${former}
    on conflict do nothing returning id`
  return { compile: () => insert.compile(meta) }
})

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

/** The user, if all of this is true of them. */
export function userWith(db: Kysely<MetaTables>, userId: Expression<string>, conditions: readonly Condition[]) {
  return userIds(db)
    .where('user.id', '=', userId)
    .where((eb) => eb.and(conditions))
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
  const users = await usersShown(meta, ids)
  return new Map([...users].map(([id, { name, email }]) => [id, name || email]))
}

export async function usersShown({ primary }: Meta, ids: readonly string[]) {
  const rows =
    ids.length === 0
      ? []
      : await primary.selectFrom('user').select(['id', 'email', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map((user) => [user.id, user]))
}

/** Shows whether staff can change the user's account. Takes no lock: it is about what is seen of somebody else. */
export function membership(db: Kysely<MetaTables>, id: string) {
  return userById(db, id).select(['user.id', 'user.role', 'user.staff_scopes'])
}

/** For a condition on a user of another query: true if they can sign in. */
export function unsuspended(db: Kysely<MetaTables>, userId: Expression<string>) {
  return db.selectFrom('user').select('user.id').where('user.id', '=', userId).where('user.suspended_at', 'is', null)
}

/** The user's address, if it is verified. */
export function provenAddress(db: Kysely<MetaTables>, userId: string) {
  return userById(db, userId).select('user.email').where('user.email_verified', '=', 1)
}

/** How the members of an organisation see each other. */
export async function shownUsers(meta: Meta, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, ShownUser>()
  const columns = ['id', 'name', 'email', 'image'] as const
  const rows = await meta.primary.selectFrom('user').select(columns).where('id', 'in', ids).execute()
  return new Map<string, ShownUser>(rows.map((row) => [row.id, row]))
}

export type ShownUser = Pick<UserTable, 'id' | 'name' | 'email' | 'image'>

/** What a product may keep of its users, in the order of their ids. */
export function keptByProducts(db: Kysely<MetaTables>) {
  const facts = ['user.id', 'user.email', 'user.email_verified', 'user.name', 'user.image', 'user.role'] as const
  const times = ['user.suspended_at', 'user.created_at', 'user.updated_at'] as const
  return db.selectFrom('user').select(facts).select(times).orderBy('user.id')
}

/** The columns that tell an application who its user is. */
export function people(db: Kysely<MetaTables>) {
  return usersToRestrict(db).select(['user.name', 'user.handle', 'user.image', 'user.updated_at'])
}

/** The columns that show whether a user lacks what the settings require. */
export function usersToRestrict(db: Kysely<MetaTables>) {
  const columns = ['user.role', 'user.staff_scopes', 'user.factors', 'user.email', 'user.email_verified'] as const
  return db.selectFrom('user').select('user.id').select(columns)
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
  const updated_at = user.email_verified === 1 ? user.updated_at : now
  return { ...user, email_verified: 1, email_proven_at: user.email_proven_at ?? now, updated_at }
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

/** The user's next letter and notification are in this language. */
export function setLanguage(meta: Meta, id: string, language: string) {
  return meta.updateTable('user').set({ language }).where('id', '=', id)
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
    .select(['id', 'email', 'language'])
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

/** The same for a decision. Takes no lock: the role never changes. */
export function administrator(meta: Meta) {
  return meta.selectFrom('user').select(['id', 'email']).where('role', '=', sql.lit('administrator'))
}

/** Joined by queries about who acts as a user. */
export function administrators(db: Kysely<MetaTables>) {
  return db.selectFrom('user').select(['id', 'name']).where('role', '=', sql.lit('administrator'))
}

/** For what everybody in the administration counts together. */
export const lockedAdministrator = statement((meta: Meta) => administrator(meta).$call(lockRows(meta)))

/** The user must be locked. */
export function setStaff(meta: Meta, id: string, staff: Pick<UserTable, 'staff_scopes' | 'staff_since'>) {
  return meta.updateTable('user').set(staff).where('id', '=', id)
}

/** Every staff member. Their order and columns are the caller's. */
export function staffRows(db: Kysely<MetaTables>) {
  return db.selectFrom('user').where('staff_scopes', 'is not', null)
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
