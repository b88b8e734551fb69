import { requireFresh } from '../../../http/freshness.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { guessesInKnownPlaces } from '../../ground/limits/guesses.ts'
import { rememberBrowser, signedInGuesser } from '../account/known-browser.ts'
import { checkedPasswordHash } from '../account/password.ts'
import { accountWithPassword } from '../account/statements.ts'
import type { Proof } from '../sessions/pending.ts'
import { decideSignedIn } from '../sessions/sessions.ts'
import { confirmSession } from '../sessions/statements.ts'
import type { Confirm } from './input.ts'
import { type FactorCodeKind, findCodeProof, kindOfCode, wrongFactorCode } from './one-time-codes.ts'
import { shownPasskey } from './passkeys/authentication.ts'
import { totpOf } from './store.ts'

/** The session counts as fresh for another quarter of an hour. */
export async function confirm(call: SignedInCall, sent: Confirm) {
  const { platform, caller } = call
  const { meta, now } = platform
  const { proof, by } = await proofOf(call, sent)
  await decideSignedIn(call, [proof], async (act, user, [right]) => {
    if (!right) throw new Refusal('UNAUTHORIZED', 'This was used or changed in the meantime. Try again.')
    act.write(confirmSession(meta, caller.credential.id, now()))
    if (by === 'backup_code') act.record('backup_code.used', { user })
  })
  rememberBrowser(call, { id: caller.user.id })
  return { status: true as const }
}

/** A password sent now proves as much as a fresh session. */
export async function requireOwner(call: SignedInCall, password: string | undefined): Promise<void> {
  if (password === undefined) requireFresh(call)
  else await checkedPasswordHash(call, password)
}

interface Confirmation {
  readonly proof: Proof
  readonly by?: FactorCodeKind
}

async function proofOf(call: SignedInCall, { password, code, passkey }: Confirm): Promise<Confirmation> {
  const { platform, caller } = call
  const userId = caller.user.id
  if (passkey) {
    const shown = await shownPasskey(call, passkey)
    if (shown.userId !== userId) throw new Refusal('PASSKEY_NOT_FOUND', 'This passkey is not yours.')
    return { proof: shown.proof }
  }
  if (code !== undefined) return codeConfirmation(call, code)
  return {
    proof: accountWithPassword(platform.meta, userId, await checkedPasswordHash(call, password ?? '')),
  }
}

async function codeConfirmation(call: SignedInCall, code: string): Promise<Confirmation> {
  const { user } = call.caller
  const kind = kindOfCode(code)
  const { target, network } = signedInGuesser(call)
  // Counted apart from guesses at the second step, so that strangers cannot use up those of the sessions.
  const codes = guessesInKnownPlaces(`inside:${user.id}`, call.sender.address)
  const { platform } = call
  const app = kind === 'totp' ? await totpOf(platform.meta, user.id, 1).executeTakeFirst() : undefined
  const proof = await findCodeProof(platform, user.id, { kind, code }, { target, network, codes }, app)
  if (!proof) throw wrongFactorCode(kind)
  return { proof, by: kind }
}
