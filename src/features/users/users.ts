import type { UserTable } from '../../database/schema.ts'
import type { Meta } from '../../database/store.ts'
import { type Page, sliceOf } from '../../rules/paging.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { ListUsers } from './input.ts'
import * as store from './store.ts'

/** Undefined only before the first preparation has made the one. */
export function findAdministrator(meta: Meta) {
  return store.administrator(meta)
}

export function findUserByEmail(meta: Meta, email: string) {
  return store.userByEmail(meta, email)
}

export async function anyUserExists(meta: Meta): Promise<boolean> {
  return (await store.anyUser(meta)) !== undefined
}

export async function listUsers(meta: Meta, filter: ListUsers & Page) {
  const [total, rows] = await Promise.all([
    store.count(meta, filter),
    store.page(meta, filter, sliceOf(filter)),
  ])
  return { items: rows.map(userItem), total }
}

/** With the shard that the user's own rows are in. */
export async function getUser(meta: Meta, id: string) {
  const user = await store.withShard(meta, id)
  if (!user) throw unknownUser()
  return user
}

function unknownUser(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such user.')
}

export function userItem({ email_verified, ...user }: UserTable & { shard_id: string | null }) {
  return { ...user, email_verified: email_verified === 1 }
}
