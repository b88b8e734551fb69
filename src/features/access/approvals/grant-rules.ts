import type { SignedInCall } from '../../../http/route.ts'
import { given } from '../../../rules/given.ts'
import { decideSignedIn } from '../../people/sessions/sessions.ts'
import { beginCount } from '../grant-calls/acts.ts'
import { noSuchConnection } from '../grant-calls/listing.ts'
import { actingServices, wireGrant } from '../grants/grants.ts'
import { lockedGrantOf, updateGrantRow } from '../grants/statements.ts'
import type { GrantChanges } from './input.ts'

export async function updateGrant(call: SignedInCall, { id, ...changes }: GrantChanges) {
  const { platform, caller } = call
  const { meta, now } = platform
  const sent = given(changes)
  const was = await decideSignedIn(call, [lockedGrantOf(meta, id, caller.user.id)], async (act, _, [held]) => {
    if (!held) throw noSuchConnection()
    if (Object.keys(sent).length === 0) return held
    act.write(updateGrantRow(meta, id, sent))
    act.record('grant.update', { subject: { type: 'grant', id }, details: sent })
    return held
  })
  const grant = { ...was, ...sent }
  if (was.daily_limit === null && grant.daily_limit !== null) await beginCount(platform, id)
  const services = await actingServices(platform, [id])
  return wireGrant({ ...grant, ended_with_session: null }, now(), services.get(id))
}
