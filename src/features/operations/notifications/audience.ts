import { type SqlBool, sql } from 'kysely'
import type { NotificationsTable } from '../../../database/schema/operations.ts'
import type { Condition } from '../../../database/sql/conditions.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isStaff, MOST_MEMBERS, refuseColleague } from '../../../rules/staff.ts'
import {
  conditionsOfAudience,
  countEverybody,
  countMailed,
  countPeople,
  nextPeople,
} from '../../people/users/audience.ts'
import { Audience } from '../../people/users/input.ts'
import { livesIn } from '../../tenancy/shards/statements.ts'
import type { CountAudience } from './input.ts'
import { wantsLetters } from './statements.ts'

/** The number of people who would see it, and of those who would also get a letter. */
export async function countAudience({ meta }: Platform, { target_user_id, audience, type }: CountAudience) {
  const conditions = await conditionsOf(meta, { target_user_id, audience })
  const people = conditions.length === 0 ? countEverybody(meta) : countPeople(meta, conditions)
  const mailed = countMailed(meta, [...conditions, wantsLetters(meta, type)])
  const [[all], [byEmail]] = await meta.snapshot([people, mailed], 'routed', 'long')
  return { people: all?.people ?? 0, by_email: byEmail?.people ?? 0 }
}

/** Colleagues are fewer: the members of staff, and the administrator. */
const MORE_THAN_COLLEAGUES = MOST_MEMBERS + 2

/** What colleagues alone are told changes their accounts, which staff may not do, whatever the filter says. */
export async function refuseColleaguesAlone({ platform, caller }: SignedInCall, audience: Audience): Promise<void> {
  if (caller.user.role === 'administrator') return
  const { meta } = platform
  const conditions = await conditionsOf(meta, { target_user_id: null, audience })
  const first = await nextPeople(meta, conditions, '', MORE_THAN_COLLEAGUES).execute()
  if (first.some((person) => person.role !== 'administrator' && !isStaff(person))) return
  for (const colleague of first) refuseColleague(caller.user, colleague)
}

/** The filter is that of the list, so a person who no longer fits it gets nothing. */
export async function audienceOf(meta: Platform['meta'], { audience }: Pick<NotificationsTable, 'audience'>) {
  return conditionsOf(meta, { target_user_id: null, audience: Audience.parse(JSON.parse(audience ?? '{}')) })
}

async function conditionsOf(
  meta: Platform['meta'],
  { target_user_id, audience }: Pick<CountAudience, 'target_user_id' | 'audience'>,
): Promise<readonly Condition[]> {
  if (target_user_id !== null) return [sql<SqlBool>`${sql.ref('user.id')} = ${target_user_id}`]
  return audience === null ? [] : conditionsOfAudience(meta, audience, livesIn(meta, audience.shard_id))
}
