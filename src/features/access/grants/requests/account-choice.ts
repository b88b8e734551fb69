import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import type { Caller } from '../../../../rules/caller.ts'
import { oauthFault } from '../../../../rules/refusal.ts'
import { settingsOf } from '../../../ground/settings/current-settings.ts'
import { heldBeside } from '../../../people/sessions/accounts.ts'

/** OpenID Connect Core section 3.1.2.6. */
export const OF_ANOTHER_ACCOUNT = oauthFault('account_selection_required', 'The user has to choose an account.')

/** Implemented by the callers slice. */
export type FindSession = (platform: Platform, kind: 'session', id: string) => Promise<Caller | undefined>

interface Hints {
  /** An address, by `login_hint`. */
  readonly address: string | undefined
  /** By `id_token_hint`. */
  readonly userId: string | null | undefined
}

/**
 * The account for which the application asks, if this browser holds it: it need not be the active one, which stays
 * active. While a browser has one account, an address only fills in the form.
 */
export async function chosenCaller(
  call: Call,
  active: Caller | undefined,
  { address, userId }: Hints,
  findSession: FindSession,
): Promise<Caller | 'not here' | undefined> {
  const wanted = address?.toLowerCase()
  const isWanted = ({ user: { id, email } }: Caller) => (userId ? id === userId : !wanted || email === wanted)
  if (!active || isWanted(active)) return active
  const { authentication } = await settingsOf(call)
  if (authentication.accounts_per_browser === 1) return active
  const { held } = await heldBeside(call)
  const others = await Promise.all(held.map(({ id }) => findSession(call.platform, 'session', id)))
  return others.find((caller) => caller && isWanted(caller)) ?? (userId ? active : 'not here')
}
