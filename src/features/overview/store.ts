import { sql } from 'kysely'
import type { Meta } from '../../database/store.ts'

export async function countUsers(meta: Meta): Promise<number> {
  const row = await meta
    .selectFrom('user')
    .select((eb) => eb.fn.countAll<number>().as('users'))
    .executeTakeFirstOrThrow()
  return row.users
}

/** By number of the day since the epoch. */
export function signUpsByDay(meta: Meta, since: number) {
  const day = sql<number>`created_at / 86400000`
  return meta
    .selectFrom('user')
    .select((eb) => [day.as('day'), eb.fn.countAll<number>().as('count')])
    .where('created_at', '>=', since)
    .groupBy(day)
    .execute()
}

export async function countPublished(meta: Meta): Promise<number> {
  const row = await meta
    .selectFrom('notifications')
    .select((eb) => eb.fn.countAll<number>().as('published'))
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.published
}

export function mailQueue(meta: Meta) {
  return meta
    .selectFrom('mail_queue')
    .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.count<number>('last_error').as('failing')])
    .executeTakeFirstOrThrow()
}
