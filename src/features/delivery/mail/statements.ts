import type { Meta } from '../../../database/store.ts'

/** How many mails are waiting, and how many of them a provider has not accepted. */
export function mailQueue(meta: Meta) {
  return meta
    .selectFrom('mail_queue')
    .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.count<number>('last_error').as('failing')])
    .executeTakeFirstOrThrow()
}

/** Announcements that wait, and that their readers no longer want. */
export function unlessUnsubscribed(meta: Meta, about: readonly string[]) {
  return meta.deleteFrom('mail_queue').where('about', 'in', about)
}
