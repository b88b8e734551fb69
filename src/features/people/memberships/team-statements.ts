import type { Kysely } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { TeamMemberTable, TeamTable } from '../../../database/schema/people/organizations.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'

// Teams are names without rights. Whatever changes them locks the organisation's row.

export function teams(db: Kysely<MetaTables>) {
  return db.selectFrom('team').orderBy('team.created_at').orderBy('team.id')
}

export const teamOf = statement((db: Kysely<MetaTables>, organizationId: string, id: string) =>
  db.selectFrom('team').selectAll().where('id', '=', id).where('organization_id', '=', organizationId),
)

export function teamById(db: Kysely<MetaTables>, id: string) {
  return db.selectFrom('team').selectAll().where('id', '=', id)
}

export function insertTeam(meta: Meta, team: TeamTable) {
  return meta.insertInto('team').values(team)
}

/** Inserts nothing if the id, which another service has given, is taken. */
export function importTeam(meta: Meta, team: TeamTable) {
  return insertTeam(meta, team).onConflict((conflict) => conflict.doNothing())
}

export function renameTeam(meta: Meta, id: string, changes: Pick<TeamTable, 'name' | 'updated_at'>) {
  return meta.updateTable('team').set(changes).where('id', '=', id)
}

/** Those who were in it are forgotten in the background. */
export function deleteTeamRow(meta: Meta, id: string, now: number) {
  return [
    meta.deleteFrom('team').where('id', '=', id),
    meta.insertInto('organization_remains').values({ id, kind: 'team', created_at: now }),
  ] as const
}

export function teamMembers(db: Kysely<MetaTables>) {
  return db.selectFrom('team_member')
}

export const teamMemberOf = statement((db: Kysely<MetaTables>, teamId: string, userId: string) =>
  teamMembers(db).selectAll().where('user_id', '=', userId).where('team_id', '=', teamId),
)

export function insertTeamMember(meta: Meta, row: TeamMemberTable) {
  return meta.insertInto('team_member').values(row)
}

export function deleteTeamMember(meta: Meta, { team_id, user_id }: TeamMemberTable) {
  return meta.deleteFrom('team_member').where('user_id', '=', user_id).where('team_id', '=', team_id)
}

/** Teams of which the user is in, through the user's rows. */
export function teamsOfUser(db: Kysely<MetaTables>, userId: string) {
  return teams(db)
    .innerJoin('team_member', 'team_member.team_id', 'team.id')
    .selectAll('team')
    .where('team_member.user_id', '=', userId)
}
