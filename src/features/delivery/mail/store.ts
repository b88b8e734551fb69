import type { MailKind, MailQueueTable } from '../../../database/schema/mail.ts'
import { among, equals } from '../../../database/sql/conditions.ts'
import type { Meta } from '../../../database/store.ts'

export function insertMail(meta: Meta, row: MailQueueTable) {
  return meta.insertInto('mail_queue').values(row)
}

/** Without announcements, of which some always wait while they are sent. */
export async function countMails(meta: Meta): Promise<number> {
  const { mails } = await meta
    .selectFrom('mail_queue')
    .where('kind', '<>', 'announcement')
    .select((eb) => eb.fn.countAll<number>().as('mails'))
    .executeTakeFirstOrThrow()
  return mails
}

/** Reads no more rows than it must. */
export async function isLongerThan(meta: Meta, count: number, kind?: MailKind): Promise<boolean> {
  const row = await meta.primary
    .selectFrom('mail_queue')
    .select('id')
    .where((eb) => eb.and(equals('kind', kind)))
    .limit(1)
    .offset(count)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * What is claimed can be claimed again once the claim has ended, but for an announcement, which may have been sent by a
 * process that was killed. That it is free is checked again on the row itself, so that of two processes one has it.
 */
export function claimDue(
  meta: Meta,
  kinds: 'announcements' | 'others',
  now: number,
  until: number,
  atMost: number,
) {
  const freeBefore = kinds === 'announcements' ? 0 : now
  const due = meta
    .selectFrom('mail_queue')
    .select('id')
    .where('kind', kinds === 'announcements' ? '=' : '<>', 'announcement')
    .where('next_attempt_at', '<=', now)
    .where('claimed_until', '<=', freeBefore)
    .where('expires_at', '>', now)
    .orderBy('next_attempt_at')
    .limit(atMost)
  return meta
    .updateTable('mail_queue')
    .set((eb) => ({ claimed_until: until, attempts: eb('attempts', '+', 1) }))
    .where('claimed_until', '<=', freeBefore)
    .where('id', 'in', due)
    .returningAll()
    .execute()
}

export function putOffMail(meta: Meta, id: string, until: number, lastError: string) {
  return meta
    .updateTable('mail_queue')
    .set({ next_attempt_at: until, claimed_until: 0, last_error: lastError })
    .where('id', '=', id)
}

export function deleteMails(meta: Meta, ids: readonly string[]) {
  return meta.deleteFrom('mail_queue').where(among('id', ids))
}

export async function deleteExpired(meta: Meta, now: number): Promise<void> {
  await meta.deleteFrom('mail_queue').where('expires_at', '<=', now).execute()
}
