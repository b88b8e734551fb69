import type { ExpressionBuilder, Kysely } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { LetterQueueTable, MailKind, MailQueueTable } from '../../../database/schema/mail.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among, equals } from '../../../database/sql/conditions.ts'
import type { Meta } from '../../../database/store.ts'

/** `letter_queue` has letters as data, `mail_queue` letters that have been worded. */
export type Queue = 'letter_queue' | 'mail_queue'

export const insertLetter = prepared(
  {
    id: '',
    kind: 'notice',
    sealed: '',
    created_at: 0,
    expires_at: 0,
    next_attempt_at: 0,
    attempts: 0,
    claimed_until: 0,
    last_error: null,
  } as LetterQueueTable,
  (db: Kysely<MetaTables>, row) => db.insertInto('letter_queue').values(row),
)

export function insertMail(meta: Meta, row: MailQueueTable) {
  return meta.insertInto('mail_queue').values(row)
}

/** The number of letters that wait, and of those a provider has not accepted. */
export async function waitingLetters(meta: Meta) {
  const [letters, mails] = await Promise.all(
    (['letter_queue', 'mail_queue'] as const).map((queue) =>
      meta
        .selectFrom(queue)
        .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.count<number>('last_error').as('failing')])
        .executeTakeFirstOrThrow(),
    ),
  )
  return { waiting: sum(letters?.waiting, mails?.waiting), failing: sum(letters?.failing, mails?.failing) }
}

/** Leaves out announcements, some of which always wait while they are sent. */
export async function countLetters(meta: Meta): Promise<number> {
  const count = (eb: ExpressionBuilder<MetaTables, Queue>) => eb.fn.countAll<number>().as('letters')
  const [letters, mails] = await Promise.all([
    meta.selectFrom('letter_queue').select(count).executeTakeFirstOrThrow(),
    meta.selectFrom('mail_queue').where('kind', '<>', 'announcement').select(count).executeTakeFirstOrThrow(),
  ])
  return letters.letters + mails.letters
}

function sum(a = 0, b = 0): number {
  return a + b
}

/** Reads no more rows than it must. */
export async function isLongerThan(meta: Meta, queue: Queue, count: number, kind?: MailKind): Promise<boolean> {
  const row = await meta.primary
    .selectFrom(queue)
    .select('id')
    .where((eb) => eb.and(equals('kind', kind)))
    .limit(1)
    .offset(count)
    .executeTakeFirst()
  return row !== undefined
}

/** Only one of two processes gets a row: whether it is free is checked again on the row itself. */
export function claimLetters(meta: Meta, now: number, until: number, atMost: number) {
  const due = meta
    .selectFrom('letter_queue')
    .select('id')
    .where('next_attempt_at', '<=', now)
    .where('claimed_until', '<=', now)
    .where('expires_at', '>', now)
    .orderBy('next_attempt_at')
    .limit(atMost)
  return meta
    .updateTable('letter_queue')
    .set((eb) => ({ claimed_until: until, attempts: eb('attempts', '+', 1) }))
    .where('claimed_until', '<=', now)
    .where('id', 'in', due)
    .returningAll()
    .execute()
}

/**
 * Claims letters that have been worded. A letter can be claimed again once its claim has ended, except an announcement,
 * which a killed process may have sent. After a wait the claim is checked again.
 */
export function claimMails(meta: Meta, kinds: 'announcements' | 'others', now: number, until: number, atMost: number) {
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

export function putOffMail(meta: Meta, queue: Queue, id: string, until: number, lastError: string) {
  return meta
    .updateTable(queue)
    .set({ next_attempt_at: until, claimed_until: 0, last_error: lastError })
    .where('id', '=', id)
}

export function deleteMails(meta: Meta, queue: Queue, ids: readonly string[]) {
  return meta.deleteFrom(queue).where(among('id', ids))
}

/** Deletes waiting announcements that their readers no longer want. */
export function deleteAnnouncementsAbout(meta: Meta, about: readonly string[]) {
  return meta.deleteFrom('mail_queue').where('about', 'in', about)
}

export async function deleteExpired(meta: Meta, now: number): Promise<void> {
  await meta.deleteFrom('mail_queue').where('expires_at', '<=', now).execute()
  await meta.deleteFrom('letter_queue').where('expires_at', '<=', now).execute()
}

export async function deleteNotices(meta: Meta): Promise<void> {
  await meta.deleteFrom('letter_queue').where('kind', '=', 'notice').execute()
}
