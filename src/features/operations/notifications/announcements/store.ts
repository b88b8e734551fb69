import type { Kysely } from 'kysely'
import type {
  DigestEntryTable,
  NotificationPreferenceTable,
  NotificationsTable,
} from '../../../../database/schema/operations.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { among } from '../../../../database/sql/conditions.ts'
import { lockRows, skipLockedRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'

/** Goes into the decision that publishes; its commit wakes the job. */
export function announce(meta: Meta, notification_id: string) {
  return meta.insertInto('announcement').values({ notification_id, after_user_id: '' })
}

/**
 * The oldest one to send or to give up. An archived one is left alone, since it can be restored. None if another
 * process is working on it.
 */
export function lockedAnnouncement(meta: Meta, staleBefore: number) {
  return meta
    .selectFrom('announcement')
    .selectAll()
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('notifications')
          .select('notifications.id')
          .whereRef('notifications.id', '=', 'announcement.notification_id')
          .where(({ or, eb }) => or([eb('archived_at', 'is', null), eb('created_at', '<=', staleBefore)])),
      ),
    )
    .orderBy('notification_id')
    .limit(1)
    .$call(skipLockedRows(meta))
}

export function notification(meta: Meta, id: string) {
  return meta.selectFrom('notifications').selectAll().where('id', '=', id)
}

export function advance(meta: Meta, notificationId: string, after_user_id: string) {
  return meta.updateTable('announcement').set({ after_user_id }).where('notification_id', '=', notificationId)
}

export function deleteAnnouncement(meta: Meta, notificationId: string) {
  return meta.deleteFrom('announcement').where('notification_id', '=', notificationId)
}

/** Takes no lock: a user who changes them at this moment may still get this letter. */
export function preferencesAbout(meta: Meta, type: string, userIds: readonly string[]) {
  return meta
    .selectFrom('notification_preference')
    .select(['user_id', 'email'])
    .where('type', '=', type)
    .where(among('user_id', userIds))
}

/** Runs after the user's row is locked, so that two saves of one user never deadlock. */
export function savePreferences(
  meta: Meta,
  userId: string,
  items: readonly Pick<NotificationPreferenceTable, 'type' | 'email'>[],
) {
  if (items.length === 0) return undefined
  return meta
    .insertInto('notification_preference')
    .values(items.map(({ type, email }) => ({ type, email, user_id: userId })))
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'type']).doUpdateSet((eb) => ({ email: eb.ref('excluded.email') })),
    )
}

/** Deletes preferences that are the same as the default. */
export function deleteDefaults(meta: Meta, userId: string) {
  return meta.deleteFrom('notification_preference').where('user_id', '=', userId).where('email', '=', 'each')
}

export function addToDigests(meta: Meta, entries: readonly DigestEntryTable[]) {
  return meta.insertInto('digest_entry').values(entries)
}

/** One user's entry; none if another process is working on it. */
export function lockedDueEntry(meta: Meta, now: number) {
  return meta
    .selectFrom('digest_entry')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('user_id')
    .limit(1)
    .$call(skipLockedRows(meta))
}

export function lockedEntriesOf(meta: Meta, userId: string, now: number, atMost: number) {
  return meta
    .selectFrom('digest_entry')
    .select('notification_id')
    .where('user_id', '=', userId)
    .where('due_at', '<=', now)
    .orderBy('notification_id')
    .limit(atMost)
    .$call(lockRows(meta))
}

export function deleteEntries(meta: Meta, userId: string, notificationIds: readonly string[]) {
  return meta.deleteFrom('digest_entry').where('user_id', '=', userId).where(among('notification_id', notificationIds))
}

/** Leaves the entries to the next digest. */
export function postponeEntries(
  meta: Meta,
  userId: string,
  { ids, due_at }: { readonly ids: readonly string[]; readonly due_at: number },
) {
  return meta
    .updateTable('digest_entry')
    .set({ due_at })
    .where('user_id', '=', userId)
    .where(among('notification_id', ids))
}

export type Announced = Pick<NotificationsTable, 'id' | 'type' | 'title' | 'content' | 'link'>

/** Newest first. Takes no lock: one archived at this moment may still be in the letter. */
export function announced(meta: Meta, ids: readonly string[]) {
  return meta
    .selectFrom('notifications')
    .select(['id', 'type', 'title', 'content', 'link', 'created_at', 'archived_at'])
    .where(among('id', ids))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
}

/** The types of the newest notifications that the user sees. */
export async function recentTypes(
  meta: Kysely<MetaTables>,
  userId: string,
  ofNewest: number,
): Promise<readonly string[]> {
  const newest = (target: 'all' | 'own') =>
    meta
      .selectFrom('notifications')
      .select('type')
      .where('archived_at', 'is', null)
      .where('target_user_id', target === 'all' ? 'is' : '=', target === 'all' ? null : userId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(ofNewest)
      .execute()
  const found = await Promise.all([newest('all'), newest('own')])
  return [...new Set(found.flat().map(({ type }) => type))]
}
