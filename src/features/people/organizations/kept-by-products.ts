import { amongJson } from '../../../database/sql/conditions.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { JsonObject } from '../../../rules/json-object.ts'
import type { ReadById } from '../../../rules/paging.ts'
import { membersToKeep, organizationsToKeep } from '../memberships/statements.ts'

type Place = Pick<Platform, 'meta'>

/** Organisations as they are now, in the order of their ids: those given, or the next after an id. */
export async function readOrganizations({ meta }: Place, { ids, after, limit }: ReadById) {
  const all = organizationsToKeep(meta)
  const wanted =
    ids === undefined
      ? all.where('id', '>', after ?? '').limit(limit)
      : all.where(amongJson(meta, 'id', JSON.stringify(ids)))
  const [rows] = await meta.snapshot([wanted], 'primary')
  return { items: rows.map((row) => ({ ...row, public: JSON.parse(row.public) as JsonObject })) }
}

/** The same of members. */
export async function readMembers({ meta }: Place, { ids, after, limit }: ReadById) {
  const all = membersToKeep(meta)
  const wanted =
    ids === undefined
      ? all.where('member.id', '>', after ?? '').limit(limit)
      : all.where(amongJson(meta, 'member.id', JSON.stringify(ids)))
  const [rows] = await meta.snapshot([wanted], 'primary')
  return { items: rows.map(({ roles, ...member }) => ({ ...member, roles: roles.split(',') })) }
}
