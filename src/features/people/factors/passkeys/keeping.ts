import type { Compilable } from 'kysely'
import type { PasskeyTable } from '../../../../database/schema/people/factors.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { noticeToOwner } from '../../../delivery/mail/notices.ts'
import { type Act, actorOf, auditEntry } from '../../../ground/audit/audit.ts'
import { decideSignedIn } from '../../sessions/sessions.ts'
import { endSecondStepsOf } from '../../sessions/statements.ts'
import { passkeysOf, recountFactors } from '../statements.ts'
import * as store from './store.ts'

export function renamePasskey(call: SignedInCall, id: string, name: string): Promise<PasskeyTable> {
  const { platform, caller } = call
  const { meta } = platform
  const act: Act = { action: 'factor.rename', details: { name } }
  return decideSignedIn(call, [passkeysOf(meta, caller.user.id)], async (decision, _, passkeys) => {
    const passkey = passkeys.find((one) => one.id === id)
    if (!passkey) throw unknownPasskey()
    decision.write(store.setPasskeyName(meta, id, name), auditEntry(platform, actorOf(call), act))
    return { ...passkey, name }
  })
}

/** Only while another passkey, a password or a provider lets the user in. */
export async function removePasskey(
  call: SignedInCall,
  id: string,
  otherWayIn: Compilable<unknown>,
): Promise<void> {
  const { platform, caller } = call
  const { meta } = platform
  const userId = caller.user.id
  const letter = noticeToOwner(call, caller.user, 'passkey removed')
  const read = [passkeysOf(meta, userId), otherWayIn] as const
  await decideSignedIn(call, read, async (decision, { factors }, passkeys, [other]) => {
    const passkey = passkeys.find((one) => one.id === id)
    if (!passkey) throw unknownPasskey()
    const rest = passkeys.filter((one) => one !== passkey)
    if (!other && !rest.some((one) => one.is_user_verified === 1))
      throw new Refusal('FAILED_TO_UNLINK_LAST_ACCOUNT', 'This is your last way to sign in.')
    const details = { factor: 'passkey', name: passkey.name }
    const act: Act = { action: 'factor.remove', subject: { type: 'user', id: userId }, details }
    const isLastFactor = rest.length === 0 && !factors.includes('totp')
    decision.write(
      auditEntry(platform, actorOf(call), act),
      ...letter,
      store.deletePasskey(meta, id),
      ...recountFactors(meta, userId),
      ...(isLastFactor ? endSecondStepsOf(meta, userId) : []),
    )
  })
}

function unknownPasskey(): Refusal {
  return new Refusal('PASSKEY_NOT_FOUND', 'You have no such passkey.')
}
