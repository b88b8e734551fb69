import { Overtaken, untilNotOvertaken } from '../../../database/guard.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type Act, type Actor, auditEntryIf } from '../../audit/audit.ts'
import { requesterOf } from '../../limits/networks.ts'
import { refuseFullQueue } from '../../mail/queue.ts'
import { currentSettings } from '../../settings/settings.ts'
import { lockUser, type Users, userOnly } from '../../users/statements.ts'
import { findUserByEmail } from '../../users/users.ts'
import { codeStatements } from '../codes/codes.ts'
import { refuseSynthetic } from '../email-rules/email-rules.ts'
import type { CreateUser, InviteUser } from '../input.ts'
import { refuseWeakPassword } from '../passwords/password-rules.ts'
import * as store from '../store.ts'
import { type Alongside, createUser } from './creation.ts'
import { type NewUser, newUser } from './new-user.ts'

/**
 * By the administrator, even while registration is off and for any domain. Without a password nobody can sign
 * in yet.
 */
export async function createUserFor(call: Call, actor: Actor, { email, name, password }: CreateUser) {
  const { platform, client } = call
  refuseSynthetic(email)
  if (password !== undefined) await refuseWeakPassword(platform, email, password)
  const passwordHash =
    password === undefined ? null : await platform.passwords.hash(password, requesterOf(client, email))
  const user = newUser({ email, name: name ?? email, passwordHash })
  const act: Act = { action: 'user.create', subject: { type: 'user', id: user.id } }
  const isMade = userOnly(platform.meta, user.id)
  return { id: await made(platform, user, () => [auditEntryIf(platform, actor, act, isMade)]) }
}

/** The link in the letter sets the first credential. A user who has not used the link gets a new one. */
export async function inviteUser(platform: Platform, actor: Actor, { email, name }: InviteUser) {
  refuseSynthetic(email)
  await refuseFullQueue(platform)
  const id = await untilNotOvertaken(platform.meta, async () => {
    const known = await findUserByEmail(platform.meta, email)
    if (!known) return invitedNew(platform, actor, { email, name })
    const { id } = known
    if (known.factors !== '' || (await store.hasCredential(platform.meta, id))) throw taken()
    await inviteAgain(platform, actor, { id, email })
    return id
  })
  return { id }
}

async function invitedNew(platform: Platform, actor: Actor, { email, name }: InviteUser): Promise<string> {
  const user = newUser({ email, name: name ?? email })
  const isMade = userOnly(platform.meta, user.id)
  const invitation = await invitationStatements(platform, actor, { id: user.id, email }, isMade)
  return made(platform, user, () => invitation)
}

async function inviteAgain(platform: Platform, actor: Actor, user: Invited): Promise<void> {
  const { meta } = platform
  const unclaimed = store.unclaimedUser(meta, user.email).where('user.id', '=', user.id)
  const rows = await meta.batch([
    lockUser(meta, user.id),
    unclaimed,
    ...(await invitationStatements(platform, actor, user, unclaimed)),
  ])
  if (rows.of(unclaimed).length === 0)
    throw new Overtaken('the user was deleted, or has accepted an invitation')
}

interface Invited {
  readonly id: string
  readonly email: string
}

async function invitationStatements(platform: Platform, actor: Actor, { id, email }: Invited, users: Users) {
  const act: Act = { action: 'user.invite', subject: { type: 'user', id } }
  return [
    ...(await codeStatements(platform, 'invitation', email, { users })),
    auditEntryIf(platform, actor, act, users),
  ]
}

async function made(platform: Platform, user: NewUser, alongside: Alongside): Promise<string> {
  const row = await createUser(platform, await currentSettings(platform), user, alongside)
  if (!row) throw taken()
  return row.id
}

function taken(): Refusal {
  return new Refusal('USER_ALREADY_EXISTS', 'There is already an account with this address.')
}
