import type { SignedInCall } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { withinGuesses } from '../../ground/limits/guesses.ts'
import { requesterOf } from '../../ground/limits/networks.ts'
import { signedInGuesser } from './guesser.ts'
import { refuseTooLongPassword } from './password-rules.ts'
import { findPasswordHash } from './password-statements.ts'

/** Returns the stored hash if this is the signed-in user's password. */
export async function checkedPasswordHash(call: SignedInCall, password: string): Promise<string> {
  const { platform, caller } = call
  refuseTooLongPassword(password)
  const stored = await findPasswordHash(platform.meta, caller.user.id)
  const requester = requesterOf(call.sender, caller.user.email)
  const checked = await withinGuesses(platform, signedInGuesser(call), async () =>
    (await platform.passwords.verify(password, stored, requester)) ? stored : undefined,
  )
  if (checked === undefined) throw wrongCurrentPassword()
  return checked
}

export function wrongCurrentPassword(): Refusal {
  return new Refusal('INVALID_EMAIL_OR_PASSWORD', 'The current password is wrong.')
}
