import type { SignedInCall } from '../../../../http/route.ts'
import { networkOf } from '../../../../rules/networks.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { randomCode } from '../../../../rules/tokens.ts'
import { countUses } from '../../../ground/limits/limits.ts'
import { decideSignedIn } from '../../../people/sessions/sessions.ts'
import * as store from './store.ts'

// RFC 8628 section 6.1: no vowels, so no words; no digits, so nothing that looks like one of these.
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export function newUserCode(): string {
  return randomCode(LETTERS, LENGTH)
}

export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/**
 * Gives the device's request to this session; it ends when the session does, and no other session can have it. Each
 * try is counted before the code is looked up, so that simultaneous guesses are counted too.
 */
export async function beginByUserCode(call: SignedInCall, typed: string) {
  const { platform, caller, sender } = call
  const { meta, now } = platform
  await countUses(platform, [
    { limit: 'user-codes-by-user', subject: caller.user.id },
    { limit: 'user-codes-by-network', subject: networkOf(sender.address) },
  ])
  const code = typed.toUpperCase().replace(/[^A-Z]/g, '')
  const by = { user_id: caller.user.id, session_id: caller.credential.id }
  const waiting = store.lockedByUserCode(meta, { userCode: code, now: now() })
  return decideSignedIn(call, [waiting], async (decision, _, [request]) => {
    if (!request || (request.session_id ?? by.session_id) !== by.session_id)
      throw new Refusal('NOT_FOUND', 'No device is waiting for this code; check it, or start again.')
    if (request.session_id === null) decision.write(store.beginRequest(meta, { id: request.id, ...by }))
    return { request_id: request.id }
  })
}
