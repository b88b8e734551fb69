import type { EmailChangeTable } from '../../../database/schema/people/account.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { endAccess } from '../../access/ending/ending.ts'
import { type Act, decide } from '../../ground/acts/acts.ts'
import { openOwnersToken } from '../../ground/letters/owners-link.ts'
import { deleteEmailChangesFrom, emailChangesOf } from '../users/email-changes.ts'
import { lockedUser, updateUserRow } from '../users/statements.ts'
import { sendCode } from './codes/sending.ts'
import type { OwnersLink } from './input.ts'
import { deleteFactorsOf, passwordAccountOf, recountFactors } from './statements.ts'
import * as store from './store.ts'

const LIFETIME_MILLISECONDS = 7 * DAY_MILLISECONDS

/**
 * Ends all access and removes the password, which a thief may know; the owner gets a letter with which to choose
 * another, at the address that the letter with the link went to. A link about a sign-in ends nothing once the owner has
 * chosen one. Repeating it does no harm.
 */
export async function secureAccount(call: Call, { token }: OwnersLink) {
  const { platform } = call
  const { meta, now } = platform
  const { userId, at, changeId } = openOwnersToken(platform, token)
  if (at + LIFETIME_MILLISECONDS < now()) throw tooOld()
  const email = await decide(
    call,
    [lockedUser(meta, userId), passwordAccountOf(meta, userId), emailChangesOf(meta, userId)],
    async (act, [user], [account], changes) => {
      const change = changes.find(({ id, requested_at, changed_at }) =>
        changeId === undefined ? changed_at !== null && requested_at >= at : id === changeId,
      )
      const email = change?.former_email ?? user?.email
      const isOver = changeId === undefined ? account?.password_hash && account.updated_at > at : !change
      if (!user || isOver) throw tooOld()
      endAccess(act, platform, 'secured by letter', userId)
      if (account) act.write(store.removePassword(meta, userId, now()))
      act.record('user.secure', { by: user, subject: { type: 'user', id: userId } })
      if (change) takeBack(act, platform, user, change)
      return account || email !== user.email ? email : undefined
    },
  )
  if (email !== undefined) await sendCode(call, 'password-reset', email)
  return { success: true as const, email: email ?? null }
}

/** Brings back the address that the letter went to, and removes what a thief could have added to get in again. */
function takeBack(act: Act, { meta, now }: Platform, user: UserTable, change: EmailChangeTable): void {
  const { user_id: userId, former_email: email, requested_at } = change
  if (user.email !== email) {
    const renamed = user.name === user.email && { name: email }
    act.write(updateUserRow(meta, userId, { email, ...renamed, updated_at: now() }))
    act.record('user.updated', { user, data: { email, ...renamed } })
  }
  act.write(
    deleteEmailChangesFrom(meta, change),
    store.deleteAccountsSince(meta, userId, requested_at),
    ...deleteFactorsOf(meta, userId),
    ...recountFactors(meta, userId),
  )
}

function tooOld(): Refusal {
  const words = 'This link no longer works: it is older than a week, was used, or you have chosen a new password since.'
  return new Refusal('INVALID_REQUEST', words)
}
