import { createHash } from 'node:crypto'
import type { Call, SignedInCall } from '../../../http/route.ts'
import { type Guesser, guesserInNewBrowser } from '../../ground/limits/guesses.ts'
import { neighbourhoodOf, networkOf } from '../../ground/limits/networks.ts'
import { knownBrowserOf, passwordMark } from './known-browser.ts'

/** The user with an address, if there is one, with the current password. */
interface Known {
  readonly id: string
  readonly password_hash: string | null
}

/** A caller without a session, who gives an address. A new password starts without failures. */
export function guesserOf(call: Call, email: string, known: Known | undefined): Guesser {
  const account = `${accountKeyOf(email)}:${passwordMark(known?.password_hash ?? null)}`
  const browser = known && knownBrowserOf(call, known)
  if (browser !== undefined) return { target: `browser:${browser}`, network: undefined }
  return guesserInNewBrowser(account, call.sender)
}

/**
 * A caller with a session, who does not wait for the failures of others, nor of a thief in another session of the same
 * user. All sessions together are a crowd: a provider or a passkey opens any number of them without the password.
 */
export function signedInGuesser({ sender, caller }: SignedInCall): Guesser {
  const account = `inside:${caller.user.id}`
  return {
    target: `inside:${caller.credential.id}`,
    network: networkOf(sender.address),
    crowd: { account, neighbourhood: `${account}:${neighbourhoodOf(sender.address)}` },
  }
}

/** The key for counting sign-ins with the right password, to one account from one network. */
export function signInKeyOf({ sender }: Call, email: string): string {
  return `${accountKeyOf(email)}:${networkOf(sender.address) ?? neighbourhoodOf(sender.address)}`
}

function accountKeyOf(email: string): string {
  return `account:${createHash('sha256').update(email).digest('base64url')}`
}
