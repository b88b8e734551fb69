import type { SignedInCall } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { Act } from '../../ground/acts/acts.ts'
import * as memberships from '../memberships/statements.ts'
import { teamMemberOf, teamOf } from '../memberships/team-statements.ts'
import { decideSignedIn } from '../sessions/sessions.ts'
import { activateOrganization, activateTeam } from '../sessions/statements.ts'
import { decideInside, findInside, type Named, noneActive } from './inside.ts'
import { unknownTeam } from './teams.ts'
import { wireOrganization, wireTeam } from './wire.ts'

/** Null leaves the session without one; nothing says again which it is. */
export async function setActiveOrganization(call: SignedInCall, named: Named) {
  const { platform, caller } = call
  const { meta, now } = platform
  const session = caller.credential.id
  if (named.organizationId === null) {
    return decideSignedIn(call, [], async (act) => {
      act.write(activateOrganization(meta, session, null))
      if (caller.organization) recordSwitch(act, call, undefined)
      return null
    })
  }
  const found = await findInside(call, named)
  if (!found) return null
  const { id } = found.organization
  return decideInside(call, { organizationId: id }, [], async (act, { organization }) => {
    act.write(memberships.noteActive(meta, caller.user.id, id, now()))
    if (caller.organization?.id !== id) {
      act.write(activateOrganization(meta, session, id))
      recordSwitch(act, call, id)
    }
    return wireOrganization(organization)
  })
}

/** Verifiers remember in which organisation a session acts, and follow the event. */
function recordSwitch(act: Act, { caller: { user, credential } }: SignedInCall, organizationId: string | undefined) {
  act.record('session.updated', { user, organizationId, data: { id: credential.id } })
}

export async function setActiveTeam(
  call: SignedInCall,
  { teamId = call.caller.organization?.teamId }: { readonly teamId?: string | null | undefined },
) {
  const { platform, caller } = call
  const { meta } = platform
  const session = caller.credential.id
  if (!teamId) {
    if (teamId === null) await activateTeam(meta, session, null).execute()
    return null
  }
  const organizationId = caller.organization?.id
  if (organizationId === undefined) throw noneActive()
  const first = [teamOf(meta, organizationId, teamId), teamMemberOf(meta, teamId, caller.user.id)] as const
  return decideInside(call, { organizationId }, first, async (act, _inside, [team], [membership]) => {
    if (!team) throw unknownTeam()
    if (!membership) throw new Refusal('USER_IS_NOT_A_MEMBER_OF_THE_TEAM', 'You are not in this team.')
    act.write(activateTeam(meta, session, team.id))
    return wireTeam(team)
  })
}
