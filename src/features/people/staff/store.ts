import { sql } from 'kysely'
import type { Meta } from '../../../database/store.ts'
import { lastActOf } from '../../ground/events/audited-statements.ts'
import { staffRows } from '../users/statements.ts'

export function members(meta: Meta) {
  return staffRows(meta.primary)
    .select(['user.id', 'user.email', 'user.name', 'user.staff_scopes', 'user.staff_since'])
    .select(lastActOf(meta, sql.ref('user.id')).as('last_act_at'))
    .orderBy('user.staff_since')
    .orderBy('user.id')
    .execute()
}

export function countMembers(meta: Meta) {
  return staffRows(meta).select((eb) => eb.fn.countAll<number>().as('members'))
}
