import { Overtaken, untilNotOvertaken } from '../../../database/guard.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Actor, auditEntry, type NewEntry } from '../../ground/audit/audit.ts'
import { requesterOf } from '../../ground/limits/networks.ts'
import { bySettings } from '../../ground/settings/holding.ts'
import { findUserByEmail, lockUser } from '../users/statements.ts'
import {
  administratorsLetter,
  type CodeLetter,
  countLetter,
  letterStatements,
  refuseLetterTooMany,
} from './codes/sending.ts'
import { type Alongside, addressTaken, createUser } from './creation.ts'
import { refuseSynthetic } from './email-rules.ts'
import type { CreateUser, InviteUser } from './input.ts'
import { type NewUser, newUser } from './new-user.ts'
import { refuseWeakPassword } from './password-rules.ts'
import * as store from './store.ts'

/**
 * Run by the administrator, even while registration is off and for any domain. Without a password nobody can sign in
 * yet.
 */
export async function createUserFor(call: Call, actor: Actor, { email, name, password }: CreateUser) {
  const { platform, sender } = call
  refuseSynthetic(email)
  if (password !== undefined) await refuseWeakPassword(platform, email, password)
  const password_hash =
    password === undefined ? null : await platform.passwords.hash(password, requesterOf(sender, email))
  const user = newUser({ email, name: name ?? email, password_hash })
  const act: NewEntry = { action: 'user.create', subject: { type: 'user', id: user.id } }
  return { id: await made(platform, user, () => [auditEntry(platform, actor, act)]) }
}

/** The link in the letter sets the first credential. A user who has not used the link gets a new one. */
export async function inviteUser(platform: Platform, actor: Actor, { email, name }: InviteUser) {
  refuseSynthetic(email)
  const letter = await administratorsLetter(platform, 'invitation', email)
  const id = await untilNotOvertaken(platform.meta, async () => {
    const known = await findUserByEmail(platform.meta, email)
    if (!known) return inviteNew(platform, actor, newUser({ email, name: name ?? email }), letter)
    return inviteAgain(platform, actor, known.id, letter)
  })
  return { id }
}

async function inviteNew(platform: Platform, actor: Actor, user: NewUser, letter: CodeLetter): Promise<string> {
  const count = await platform.meta.decide([countLetter(platform, letter)], async (_, [counted]) => {
    refuseLetterTooMany(platform, counted)
    return counted
  })
  return made(platform, user, () => [
    ...letterStatements(platform, letter, count),
    auditEntry(platform, actor, invitationOf(user.id)),
  ])
}

async function inviteAgain(platform: Platform, actor: Actor, id: string, letter: CodeLetter): Promise<string> {
  const { meta } = platform
  const unclaimed = store.unclaimedUser(meta, letter.email)
  await meta.decide(
    [lockUser(meta, id), unclaimed, countLetter(platform, letter)],
    async (decision, [user], [claimable], [count]) => {
      if (!user) throw new Overtaken('the user was deleted')
      if (!claimable) throw addressTaken()
      refuseLetterTooMany(platform, count)
      decision.write(...letterStatements(platform, letter, count), auditEntry(platform, actor, invitationOf(id)))
    },
  )
  return id
}

function invitationOf(id: string): NewEntry {
  return { action: 'user.invite', subject: { type: 'user', id } }
}

async function made(platform: Platform, user: NewUser, alongside: Alongside): Promise<string> {
  const row = await bySettings(platform, (settings) => createUser(platform, settings, user, alongside))
  if (!row) throw addressTaken()
  return row.id
}
