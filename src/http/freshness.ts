import { Refusal } from '../rules/refusal.ts'
import { MINUTE_MILLISECONDS } from '../rules/time.ts'
import { refusedWhileActing } from './acting.ts'
import type { SignedInCall } from './route.ts'

const FRESH_MILLISECONDS = 15 * MINUTE_MILLISECONDS

/**
 * Guards acts that can lock the owner out: a session that was left open or stolen is not enough, and a grant never is.
 */
export function requireFresh({ platform, caller: { credential, actor } }: SignedInCall): void {
  if (actor) throw refusedWhileActing()
  if (credential.kind !== 'session') throw new Refusal('FORBIDDEN', 'Only your own browser session can do this.')
  if (platform.now() - credential.provenAt <= FRESH_MILLISECONDS) return
  throw new Refusal('SESSION_NOT_FRESH', 'Confirm that it is you, or sign in again, then try again.')
}

/** Guards what neither staff nor a program ever does, whatever scopes they hold. */
export function requireAdministrator(call: SignedInCall): void {
  const { user, credential } = call.caller
  if (credential.kind === 'session' && user.role !== 'administrator')
    throw new Refusal('FORBIDDEN', 'Only the administrator can do this. Ask the administrator.')
  requireFresh(call)
}
