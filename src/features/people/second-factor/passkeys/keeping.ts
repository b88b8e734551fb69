import type { Compilable } from 'kysely'
import type { PasskeyTable } from '../../../../database/schema/people/second-factor.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { recountFactors } from '../../account/statements.ts'
import { decideSignedIn } from '../../sessions/sessions.ts'
import { endSecondStepsOf } from '../../sessions/statements.ts'
import * as store from './store.ts'

export function renamePasskey(call: SignedInCall, id: string, name: string): Promise<PasskeyTable> {
  const { platform, caller } = call
  const { meta } = platform
  return decideSignedIn(call, [store.passkeysOf(meta, caller.user.id)], async (act, user, passkeys) => {
    const passkey = passkeys.find((one) => one.id === id)
    if (!passkey) throw unknownPasskey()
    act.write(store.setPasskeyName(meta, id, name))
    act.record('factor.rename', { user, details: { name } })
    return { ...passkey, name }
  })
}

/** Removes it only while another passkey, a password or a provider lets the user in. */
export async function removePasskey(call: SignedInCall, id: string, otherWayIn: Compilable<unknown>): Promise<void> {
  const { meta } = call.platform
  const userId = call.caller.user.id
  const read = [store.passkeysOf(meta, userId), otherWayIn] as const
  await decideSignedIn(call, read, async (act, user, passkeys, [other]) => {
    const passkey = passkeys.find((one) => one.id === id)
    if (!passkey) throw unknownPasskey()
    const rest = passkeys.filter((one) => one !== passkey)
    if (!other && !rest.some((one) => one.is_user_verified === 1))
      throw new Refusal('FAILED_TO_UNLINK_LAST_ACCOUNT', 'This is your only sign-in method.')
    const isLastFactor = rest.length === 0 && !user.factors.includes('totp')
    act.write(
      store.deletePasskey(meta, id),
      ...recountFactors(meta, userId),
      ...(isLastFactor ? endSecondStepsOf(meta, userId) : []),
    )
    const details = { factor: 'passkey', name: passkey.name }
    act.record('factor.remove', {
      user,
      subject: { type: 'user', id: userId },
      details,
      letter: 'passkey removed',
    })
  })
}

function unknownPasskey(): Refusal {
  return new Refusal('PASSKEY_NOT_FOUND', 'You have no such passkey.')
}
