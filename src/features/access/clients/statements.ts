import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { ApplicationPictureTable, ApplicationTable } from '../../../database/schema/products/applications.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { keepRowsUnchanged, lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { directionOf, type Order, type Slice } from '../../../rules/paging.ts'
import { currentRevision } from '../../ground/settings/statements.ts'

// Used in the batches and queries of other slices.

/**
 * Goes at the start of a batch or decision that depends on an application: until the commit, the administrator can
 * neither change nor delete it.
 */
export function keepApplicationsUnchanged(meta: Kysely<MetaTables>) {
  return meta.selectFrom('application').select('application.id').$call(keepRowsUnchanged(meta))
}

/** Lets only one batch or decision at a time past it. */
export function lockApplications(meta: Kysely<MetaTables>) {
  return meta.selectFrom('application').select('application.id').$call(lockRows(meta))
}

function applicationIds(db: Kysely<MetaTables>) {
  return db.selectFrom('application').select('application.id')
}

/** The ids of applications that want to be told when a session ends. */
export function applicationsWithLogout(db: Kysely<MetaTables>) {
  return applicationIds(db).where('application.backchannel_logout_uri', 'is not', null)
}

/** For a decision that compares them all with a file. */
export function lockAdministratorsApplications(meta: Kysely<MetaTables>) {
  return lockApplications(meta).where('origin', '=', 'administrator').orderBy('application.id')
}

/** Behind the lock on them. */
export function administratorsApplications(meta: Kysely<MetaTables>) {
  return meta.selectFrom('application').selectAll().where('origin', '=', 'administrator').orderBy('key').orderBy('id')
}

/** Locks the application for a decision that changes it. */
export function lockedApplication(meta: Kysely<MetaTables>, id: string) {
  return lockApplications(meta).selectAll().where('application.id', '=', id)
}

export async function applicationById({ primary }: Meta, id: string) {
  const [row] = await primary.run(byId(primary, { id }))
  return row
}

const byId = prepared({ id: '' }, (db: Kysely<MetaTables>, { id }) =>
  db
    .selectFrom('application')
    .selectAll('application')
    .select(currentRevision(db).as('settings_revision'))
    .where('application.id', '=', id),
)

export async function applicationByResource({ primary }: Meta, resource: string) {
  return primary
    .selectFrom('application')
    .select(['id', 'resource'])
    .where('resource', '=', resource)
    .executeTakeFirst()
}

export async function applicationByKey({ primary }: Meta, key: string) {
  return primary.selectFrom('application').select('id').where('key', '=', key).executeTakeFirst()
}

/** The names of the administrator's other applications. */
export async function applicationNames({ primary }: Meta, except = ''): Promise<readonly string[]> {
  const rows = await primary
    .selectFrom('application')
    .select('name')
    .where('origin', '=', 'administrator')
    .where('id', '<>', except)
    .execute()
  return rows.map(({ name }) => name)
}

/** The names of the applications that still exist. */
export async function namesOfApplications({ primary }: Meta, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>()
  const rows = await primary.selectFrom('application').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Stores a guest's current description. */
export async function keepGuest(meta: Meta, row: ApplicationTable): Promise<void> {
  const { name, redirect_uris, home_url, fresh_until, updated_at } = row
  await meta
    .insertInto('application')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ name, redirect_uris, home_url, fresh_until, updated_at }),
    )
    .execute()
}

/** Clients whose own description is older than `before`. */
export function guestsBefore(meta: Meta, before: Readonly<Record<GuestOrigin, number>>, atMost: number) {
  return meta.primary
    .selectFrom('application')
    .select('id')
    .where((eb) =>
      eb.or(
        (['document', 'registration'] as const).map((origin) =>
          eb.and([eb('origin', '=', origin), eb('updated_at', '<=', before[origin])]),
        ),
      ),
    )
    .orderBy('id')
    .limit(atMost)
    .execute()
}

/**
 * The ids of unused registrations past the `most` that stay. The blocks of addresses with the most of them lose theirs
 * first, and each block its oldest, so that no block takes another's place.
 */
export async function surplusRegistrations(
  { primary }: Meta,
  most: number,
  isUsed: (id: Expression<string>) => Expression<SqlBool>,
): Promise<readonly string[]> {
  const surplus = await primary
    .selectFrom(
      primary
        .selectFrom('application')
        .select(['id', 'created_at'])
        .select(
          sql<number>`row_number() over (partition by registered_from order by created_at desc, id desc)`.as('place'),
        )
        .where('origin', '=', 'registration')
        .where(({ eb, ref }) => eb.not(isUsed(ref('application.id'))))
        .as('unused'),
    )
    .select('id')
    .orderBy('place')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_SURPLUS)
    .offset(most)
    .execute()
  return surplus.map(({ id }) => id)
}

/** More than one registration adds; the next one deletes the rest. */
const MOST_SURPLUS = 100

/** The applications must be locked. */
export function deleteApplicationsWithout(meta: Meta, ids: readonly string[], used: Expression<{ client_id: string }>) {
  return meta.deleteFrom('application').where('id', 'in', ids).where(sql<SqlBool>`id not in ${used}`)
}

type GuestOrigin = Exclude<ApplicationTable['origin'], 'administrator'>

/** The administrator must be locked. */
export function countApplications(meta: Meta) {
  return meta
    .selectFrom('application')
    .select((eb) => eb.fn.countAll<number>().as('applications'))
    .where('origin', '=', 'administrator')
}

export function insertApplication(meta: Meta, row: ApplicationTable) {
  return meta.insertInto('application').values(row)
}

export function keepPicture(meta: Meta, row: ApplicationPictureTable) {
  const { type, digest, data } = row
  return meta
    .insertInto('application_picture')
    .values(row)
    .onConflict((conflict) => conflict.columns(['application_id', 'name']).doUpdateSet({ type, digest, data }))
}

export function deletePictures(meta: Meta, applicationId: string, names: readonly ApplicationPictureTable['name'][]) {
  return meta.deleteFrom('application_picture').where('application_id', '=', applicationId).where('name', 'in', names)
}

export async function findPicture(meta: Meta, applicationId: string, name: ApplicationPictureTable['name']) {
  return meta
    .selectFrom('application_picture')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('name', '=', name)
    .executeTakeFirst()
}

export function updateApplicationRow(meta: Meta, id: string, changes: Partial<Omit<ApplicationTable, 'id'>>) {
  return meta.updateTable('application').set(changes).where('id', '=', id)
}

/** Waits for whatever has locked its row, so that the grants made meanwhile can be ended. */
export function deleteApplicationRow(meta: Meta, id: string) {
  return meta.deleteFrom('application').where('id', '=', id)
}

export function applicationsPage(meta: Meta, order: Order, { offset, limit }: Slice) {
  const direction = directionOf(order)
  const all = meta.selectFrom('application')
  return pageWithTotal(
    meta,
    all.select((eb) => eb.fn.countAll<number>().as('total')),
    all.selectAll().orderBy('created_at', direction).orderBy('id', direction).offset(offset).limit(limit),
  )
}
