import type { SignedInCall } from '../../../http/route.ts'
import { invalidInput } from '../../../rules/refusal.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { isPicture } from '../../ground/provider-presets/presets.ts'
import * as users from '../users/statements.ts'
import type { UpdateUser } from './input.ts'

export async function updateUser(call: SignedInCall, { name, image }: UpdateUser) {
  const { platform, caller } = call
  if (image && !isPicture(platform.config, image))
    throw invalidInput('image', 'Only a picture of a sign-in provider can be used.')
  const changes = { ...(name !== undefined && { name }), ...(image !== undefined && { image }) }
  const { meta, now } = platform
  const { id } = caller.user
  await decideAboutUser(call, id, [], async (act, user) => {
    act.write(users.updateUserRow(meta, id, { ...changes, updated_at: now() }))
    act.record('user.updated', { user, subject: { type: 'user', id }, data: changes })
  })
  return { status: true as const }
}
