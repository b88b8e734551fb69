import { createHash, randomBytes } from 'node:crypto'
import type { Expression } from 'kysely'
import { z } from 'zod'
import type { Meta } from '../../../database/store.ts'
import { sealedCookie } from '../../../http/answers/sealed-cookie.ts'
import type { Call, SignedInCall } from '../../../http/route.ts'
import { neighbourhoodOf, networkOf } from '../../../rules/networks.ts'
import { DAY_MILLISECONDS, DAY_SECONDS } from '../../../rules/time.ts'
import { factorGuesser, type Guesser, guesserInNewBrowser } from '../../ground/limits/guesses.ts'
import { knownNetwork } from '../sessions/statements.ts'
import { createdAtOf } from '../users/statements.ts'
import { passwordColumns } from './statements.ts'

const MOST_USERS = 5
const PURPOSE = 'known browser'

const Entry = z.object({ id: z.string(), user: z.string(), mark: z.string() })

/** The cookie is sealed, so that it cannot be forged. It has nothing that could be written back to the store. */
const COOKIE = sealedCookie('known_browser', {
  purpose: PURPOSE,
  schema: z.array(Entry),
  lifetimeSeconds: 400 * DAY_SECONDS,
})

export interface WithPassword {
  readonly id: string
  readonly password_hash: string | null
}

/** Has no hash if another credential was shown. */
interface Remembered {
  readonly id: string
  readonly password_hash?: string | null | undefined
}

/** The users who signed up or showed a credential in this browser. */
export function usersOfBrowser(call: Call): readonly string[] {
  return (COOKIE.of(call) ?? []).map(({ user }) => user)
}

/** The id of this browser for this user, if it has signed in with the current password. */
export function knownBrowserOf(call: Call, user: WithPassword): string | undefined {
  const mark = passwordMark(user.password_hash)
  return COOKIE.of(call)?.find((entry) => entry.user === user.id && entry.mark === mark)?.id
}

interface Places {
  readonly user_created_at: number | null
  readonly password_hash: string | null
  readonly password_set_at: number | null
  readonly known_network: string | null
}

/** Columns for another query: what tells the places that a user knows from others. */
export function placeColumns(meta: Meta, userId: Expression<string>, network: string) {
  return [
    createdAtOf(meta, userId).as('user_created_at'),
    ...passwordColumns(meta, userId),
    knownNetwork(meta, userId, network).as('known_network'),
  ] as const
}

/** The guesser of a user's codes, counted under `account`. */
export function factorGuesserOf(
  call: Call,
  userId: string,
  account: string,
  { user_created_at, password_hash, password_set_at, known_network }: Places,
): Guesser {
  const places = {
    browser: knownBrowserOf(call, { id: userId, password_hash }),
    isKnownNetwork: known_network !== null,
    hasNewPassword: (password_set_at ?? 0) > Math.max(user_created_at ?? 0, call.platform.now() - DAY_MILLISECONDS),
  }
  return factorGuesser(account, places, call.sender)
}

/** After a sign-up the user may not exist: the response must not reveal that the address was taken. */
export function rememberBrowser(call: Pick<Call, 'platform' | 'exchange'>, user: Remembered): void {
  const entries = COOKIE.of(call) ?? []
  const known = entries.find((entry) => entry.user === user.id)
  const id = known?.id ?? randomBytes(16).toString('base64url')
  const mark = user.password_hash === undefined ? (known?.mark ?? '') : passwordMark(user.password_hash)
  const others = entries.filter((entry) => entry.user !== user.id).slice(0, MOST_USERS - 1)
  COOKIE.set(call, [{ id, user: user.id, mark }, ...others])
}

/** Differs for each password that is set, and reveals nothing about it. */
function passwordMark(hash: string | null): string {
  if (hash === null) return 'none'
  return createHash('sha256').update(`${PURPOSE} ${hash}`).digest('base64url').slice(0, 16)
}

/** The guesser for a caller who sends an address and has no session. A new password starts without failures. */
export function guesserOf(call: Call, email: string, known: WithPassword | undefined): Guesser {
  const account = `${accountKeyOf(email)}:${passwordMark(known?.password_hash ?? null)}`
  const browser = known && knownBrowserOf(call, known)
  if (browser !== undefined) return { target: `browser:${browser}`, network: undefined }
  return guesserInNewBrowser(account, call.sender)
}

/**
 * The guesser for a caller with a session, whom neither strangers' failures delay nor those of a thief in another
 * session. All sessions together are a crowd: a provider or a passkey opens any number of them without the password.
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
