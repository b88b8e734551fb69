import { type SqlBool, sql } from 'kysely'
import { rowCount } from '../../../database/row-counts.ts'
import type { Condition } from '../../../database/sql/conditions.ts'
import type { Meta } from '../../../database/store.ts'
import type { Audience } from './input.ts'
import { foundBy } from './searching.ts'
import { conditionsOf } from './store.ts'

/** `also` are conditions that other features contribute. */
export async function conditionsOfAudience(
  meta: Meta,
  { search, shard_id: _, ...filter }: Audience,
  also: readonly Condition[],
): Promise<readonly Condition[]> {
  const { conditions } = await foundBy(meta, search, 'all')
  return conditionsOf({ ...filter, found: [...conditions, ...also] })
}

/** Suspended users see nothing. */
export function countPeople(meta: Meta, conditions: readonly Condition[]) {
  return people(meta, conditions).select((eb) => eb.fn.countAll<number>().as('people'))
}

/** Everybody who can get a letter. */
export function countMailed(meta: Meta, conditions: readonly Condition[]) {
  return people(meta, conditions)
    .where('email_verified', '=', 1)
    .where('email', 'not like', '%@community.local')
    .where('email', 'not like', '%.community.local')
    .select((eb) => eb.fn.countAll<number>().as('people'))
}

/** In the order of their ids. Takes no lock: a user who is deleted meanwhile has no row to refer to. */
export function nextPeople(meta: Meta, conditions: readonly Condition[], afterId: string, atMost: number) {
  return people(meta, conditions)
    .select(['user.id', 'user.role', 'user.staff_scopes'])
    .where('user.id', '>', afterId)
    .orderBy('user.id')
    .limit(atMost)
}

/** All users but the suspended ones, from the counter. */
export function countEverybody(meta: Meta) {
  const suspended = meta
    .selectFrom('user')
    .select((eb) => eb.fn.countAll<number>().as('suspended'))
    .where('suspended_at', 'is not', null)
  return meta.selectNoFrom(sql<number>`${rowCount(meta, 'user')} - ${suspended}`.as('people'))
}

function people(meta: Meta, conditions: readonly Condition[]) {
  const all = [sql<SqlBool>`suspended_at is null`, ...conditions]
  return meta.selectFrom('user').where((eb) => eb.and([...all]))
}
