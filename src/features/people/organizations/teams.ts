import type { TeamTable } from '../../../database/schema/people/organizations.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { memberOf, members, organizations } from '../memberships/statements.ts'
import * as store from '../memberships/team-statements.ts'
import { leaveTeamIn } from '../sessions/statements.ts'
import type { CreateTeam, ListTeamMembers, ListUserTeams, OneTeam, TeamMember, UpdateTeam } from './input.ts'
import { decideInside, getInside, idOf, type Named, require } from './inside.ts'
import { unknownMember } from './members.ts'
import { REMAINS_JOB } from './remains.ts'
import { wireTeam, wireTeamMember } from './wire.ts'

const MOST_TEAMS = 500

export function unknownTeam(): Refusal {
  return new Refusal('TEAM_NOT_FOUND', 'There is no such team.')
}

export async function createTeam(call: SignedInCall, { name, ...named }: CreateTeam) {
  const { platform, caller } = call
  const { meta, now } = platform
  const organizationId = idOf(caller, named)
  const row = { id: newId(), organization_id: organizationId, name, created_at: now(), updated_at: now() }
  const others = store.teams(meta).select('team.id').where('organization_id', '=', organizationId)
  return decideInside(call, { organizationId }, [others], async (act, inside, present) => {
    require(inside, 'team:create', 'YOU_ARE_NOT_ALLOWED_TO_CREATE_TEAMS_IN_THIS_ORGANIZATION', 'Making teams needs team:create.')
    if (present.length >= MOST_TEAMS) {
      throw new Refusal('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS', `An organisation has ${MOST_TEAMS} teams.`)
    }
    act.write(store.insertTeam(meta, row))
    recordTeam(act, 'team.create', row)
    return wireTeam(row)
  })
}

export async function updateTeam(call: SignedInCall, { teamId, data }: UpdateTeam) {
  const { platform, caller } = call
  const { meta, now } = platform
  const organizationId = idOf(caller, data)
  const first = [store.teamOf(meta, organizationId, teamId)] as const
  return decideInside(call, { organizationId }, first, async (act, inside, [team]) => {
    require(inside, 'team:update', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM', 'Changing teams needs team:update.')
    if (!team) throw unknownTeam()
    const changed = { ...team, name: data.name ?? team.name, updated_at: now() }
    act.write(store.renameTeam(meta, teamId, { name: changed.name, updated_at: changed.updated_at }))
    recordTeam(act, 'team.update', changed)
    return wireTeam(changed)
  })
}

export async function removeTeam(call: SignedInCall, { teamId, ...named }: OneTeam) {
  const { platform, caller } = call
  const { meta, now } = platform
  const organizationId = idOf(caller, named)
  const first = [store.teamOf(meta, organizationId, teamId)] as const
  await decideInside(call, { organizationId }, first, async (act, inside, [team]) => {
    require(inside, 'team:delete', 'YOU_ARE_NOT_ALLOWED_TO_DELETE_TEAMS_IN_THIS_ORGANIZATION', 'Deleting teams needs team:delete.')
    if (!team) throw unknownTeam()
    if (caller.organization?.teamId === teamId) {
      throw new Refusal('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_TEAM', 'Make another team active first, or none.')
    }
    act.write(...store.deleteTeamRow(meta, teamId, now()))
    recordTeam(act, 'team.delete', team)
  })
  platform.background.wake(REMAINS_JOB)
  return { message: 'Team removed successfully.' as const }
}

function recordTeam(act: Act, name: 'team.create' | 'team.update' | 'team.delete', team: TeamTable): void {
  const { id, name: named, organization_id: organizationId } = team
  const about = { organizationId, subject: { type: 'organization', id: organizationId } } as const
  const data = name === 'team.delete' ? { id } : { id, name: named }
  act.record(name, { ...about, details: { team: id, name: named }, data })
}

export async function listTeams(call: SignedInCall, named: Named) {
  const { meta } = call.platform
  const { organization } = await getInside(call, named)
  const rows = await store.teams(meta.primary).selectAll().where('organization_id', '=', organization.id).execute()
  return rows.map(wireTeam)
}

/** The caller's own in all organisations, or in one; another member's in one, to those who change members. */
export async function listUserTeams(
  call: SignedInCall,
  { userId = call.caller.user.id, organizationId }: ListUserTeams,
) {
  const { meta } = call.platform
  const isOwn = userId === call.caller.user.id
  const inside = isOwn && organizationId === undefined ? undefined : await getInside(call, { organizationId })
  if (inside && !isOwn) {
    require(inside, 'member:update', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER', 'Teams of another member need member:update.')
    const [other] = await meta.primary.run(memberOf(meta, inside.organization.id, userId))
    if (!other) throw unknownMember()
  }
  const living = organizations(meta).select('organization.id').where('suspended_at', 'is', null)
  const rows = await store
    .teamsOfUser(meta.primary, userId)
    .where('team.organization_id', 'in', living)
    .$if(inside !== undefined, (query) => query.where('team.organization_id', '=', inside?.organization.id ?? ''))
    .execute()
  return rows.map(wireTeam)
}

export async function listTeamMembers(call: SignedInCall, { teamId, limit, offset }: ListTeamMembers) {
  const { meta } = call.platform
  const id = teamId ?? call.caller.organization?.teamId
  if (!id) throw new Refusal('YOU_DO_NOT_HAVE_AN_ACTIVE_TEAM', 'Name a team, or make one active first.')
  const team = await store.teamById(meta.primary, id).executeTakeFirst()
  const isMember =
    team &&
    (await members(meta.primary)
      .select('member.id')
      .where('user_id', '=', call.caller.user.id)
      .where('organization_id', '=', team.organization_id)
      .executeTakeFirst())
  if (!team || !isMember) throw unknownTeam()
  await getInside(call, { organizationId: team.organization_id })
  const rows = await store
    .teamMembers(meta.primary)
    .selectAll()
    .where('team_id', '=', id)
    .orderBy('created_at')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows.map(wireTeamMember)
}

/** Who is in it already stays in it. */
export async function addTeamMember(call: SignedInCall, { teamId, userId, ...named }: TeamMember) {
  const { platform, caller } = call
  const { meta, now } = platform
  const organizationId = idOf(caller, named)
  const row = { id: newId(), team_id: teamId, user_id: userId, organization_id: organizationId, created_at: now() }
  return decideInside(call, { organizationId, userId }, about(call, row), async (act, inside, ...found) => {
    require(inside, 'member:update', 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_TEAM_MEMBER', 'Adding to a team needs member:update.')
    const [[member], [team], [present]] = found
    if (!member) throw unknownMember()
    if (!team) throw unknownTeam()
    if (present) return wireTeamMember(present)
    act.write(store.insertTeamMember(meta, row))
    recordTeamMember(act, 'team_member.add', row)
    return wireTeamMember(row)
  })
}

export async function removeTeamMember(call: SignedInCall, { teamId, userId, ...named }: TeamMember) {
  const { meta } = call.platform
  const organizationId = idOf(call.caller, named)
  const place = { team_id: teamId, user_id: userId, organization_id: organizationId }
  return decideInside(call, { organizationId, userId }, about(call, place), async (act, inside, ...found) => {
    require(inside, 'member:delete', 'YOU_ARE_NOT_ALLOWED_TO_REMOVE_A_TEAM_MEMBER', 'Taking from a team needs member:delete.')
    const [[member], [team], [present]] = found
    if (!member) throw unknownMember()
    if (!team) throw unknownTeam()
    if (!present) throw new Refusal('USER_IS_NOT_A_MEMBER_OF_THE_TEAM', 'The member is not in this team.')
    act.write(store.deleteTeamMember(meta, present), leaveTeamIn(meta, userId, teamId))
    recordTeamMember(act, 'team_member.remove', present)
    return { message: 'Team member removed successfully.' as const }
  })
}

interface Place {
  readonly team_id: string
  readonly user_id: string
  readonly organization_id: string
}

function about({ platform: { meta } }: SignedInCall, { team_id, user_id, organization_id }: Place) {
  return [
    memberOf(meta, organization_id, user_id),
    store.teamOf(meta, organization_id, team_id),
    store.teamMemberOf(meta, team_id, user_id),
  ] as const
}

function recordTeamMember(act: Act, name: 'team_member.add' | 'team_member.remove', place: Place): void {
  const { team_id, user_id, organization_id: organizationId } = place
  act.record(name, {
    ...{ organizationId, user: { id: user_id }, subject: { type: 'user', id: user_id } },
    details: { team: team_id },
    data: { team_id },
  })
}
