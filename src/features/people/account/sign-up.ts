import type { UserRow } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import { anonymous, programOf, recordAudit } from '../../ground/audit/audit.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { endFormerSession, giveSession, type NewSession, newSession } from '../sessions/sessions.ts'
import { type Alongside, addressTaken, createUser, insertUser, userRow } from './creation.ts'
import type { NewUser } from './new-user.ts'

/**
 * The response does not reveal whether the address was taken: it is the same as for a new account, and takes as long.
 * So the balance is not created here, because for a taken address there would be none.
 */
export async function signUpUnverified(call: Call, settings: Settings, newcomer: NewUser, alongside: Alongside) {
  const { platform } = call
  const made = await insertUser(platform, settings, newcomer, alongside)
  // One commit, as for a new account.
  if (!made) await recordTaken(call)
  return { token: null, user: made?.user ?? userRow(platform, newcomer) }
}

function recordTaken({ platform, sender }: Call): Promise<void> {
  const details = { code: addressTaken().code, ...programOf(sender) }
  return recordAudit(platform, anonymous(sender), { action: 'user.sign_up_refused', details })
}

export async function signUpAndIn(
  call: Call,
  settings: Settings,
  newcomer: NewUser,
  alongside: Alongside,
): Promise<{ readonly token: string; readonly user: UserRow }> {
  const { platform, exchange } = call
  let session: NewSession | undefined
  const user = await createUser(platform, settings, newcomer, () => {
    session = newSession(platform, exchange, newcomer.id)
    return [...session.statements, ...endFormerSession(platform, exchange), ...alongside()]
  })
  if (!user || !session) {
    await recordTaken(call)
    throw addressTaken()
  }
  giveSession(platform, exchange, session)
  return { token: session.token, user }
}
