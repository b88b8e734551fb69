import type { SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { withinGuesses } from '../../../ground/limits/guesses.ts'
import { requesterOf } from '../../../ground/limits/networks.ts'
import { signedInGuesser } from './guesser.ts'
import { refuseTooLongPassword } from './password-rules.ts'
import * as store from './store.ts'

/** Returns the stored hash if this is the signed-in user's password. */
export async function checkedPasswordHash(call: SignedInCall, password: string): Promise<string> {
  const { platform, caller } = call
  refuseTooLongPassword(password)
  const stored = await store.passwordHashOf(platform.meta, caller.user.id)
  const requester = requesterOf(call.client, caller.user.email)
  const checked = await withinGuesses(platform, signedInGuesser(call), async () =>
    (await platform.passwords.verify(password, stored, requester)) ? stored : undefined,
  )
  if (checked === undefined) throw wrongCurrentPassword()
  return checked
}

/** For a decision that has locked the user: this is still the password. */
export function stillHasPassword({ meta }: Platform, userId: string, hash: string) {
  return store.accountWithPassword(meta, userId, hash)
}

/** Undefined if the user has no password. */
export function findPasswordHash({ meta }: Platform, userId: string): Promise<string | undefined> {
  return store.passwordHashOf(meta, userId)
}

export function wrongCurrentPassword(): Refusal {
  return new Refusal('INVALID_EMAIL_OR_PASSWORD', 'The current password is wrong.')
}
