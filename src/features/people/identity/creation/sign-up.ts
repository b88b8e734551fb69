import type { UserRow } from '../../../../database/schema/people/users.ts'
import type { Call } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { anonymous, programOf, recordAudit } from '../../../ground/audit/audit.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { openFirstSession } from '../../sessions/opening.ts'
import { wireUser } from '../wire.ts'
import { type Alongside, createUser, createUserQuietly, fakeUserFor } from './creation.ts'
import type { NewUser } from './new-user.ts'

/** The response does not reveal whether the address was taken: it is the same as for a new account. */
export async function signUpUnverified(
  call: Call,
  settings: Settings,
  newcomer: NewUser,
  alongside: Alongside,
) {
  const { platform } = call
  const user = await createUserQuietly(platform, settings, newcomer, alongside)
  // One commit, as for a new account.
  if (!user) await recordTaken(call)
  return { token: null, user: wireUser(platform, user ?? fakeUserFor(platform, newcomer)) }
}

function recordTaken({ platform, sender }: Call): Promise<void> {
  const details = { code: 'USER_ALREADY_EXISTS', ...programOf(sender) }
  return recordAudit(platform, anonymous(sender), { action: 'user.sign_up_refused', details })
}

export async function signUpAndIn(
  call: Call,
  settings: Settings,
  newcomer: NewUser,
  alongside: Alongside,
): Promise<{ readonly token: string; readonly user: UserRow }> {
  const { platform } = call
  const session = openFirstSession(call, newcomer.id)
  const statements = () => [...session.statements(), ...alongside()]
  const user = await createUser(platform, settings, newcomer, statements)
  if (!user) {
    await recordTaken(call)
    throw new Refusal('USER_ALREADY_EXISTS', 'There is already an account with this address.')
  }
  return { token: session.give(), user }
}
