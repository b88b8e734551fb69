import type { Platform } from '../../../platform/platform.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { endSecondStepsOf, endSessionsOf } from '../../people/sessions/statements.ts'
import { endGrantsOf, endRequestsOf } from '../grants/statements.ts'

/** The reasons why access ends, and whether tools end too. `docs/security.md` shows it as a table. */
const ENDS_TOOLS = {
  'address proven by another browser': true,
  'password reset': true,
  'password changed everywhere': true,
  'signed out everywhere': true,
  'signed out elsewhere': false,
  'signed out elsewhere with tools': true,
  'signed out by the administrator': true,
  'administrator reset on the host': true,
  'secured by letter': true,
  'address changed': false,
  suspended: true,
} as const

type AccessEnd = keyof typeof ENDS_TOOLS

/**
 * The one place that decides what ends: sessions, pending sign-ins and trusted devices, and for most reasons also every
 * grant with its tokens and every request for one, undecided or approved. The user must be locked.
 */
export function endAccess(
  act: Act,
  { meta, now }: Platform,
  reason: AccessEnd,
  userId: string,
  keptSessionId?: string,
): void {
  act.write(
    ...endSessionsOf(meta, userId, reason.replaceAll(' ', '_'), now(), keptSessionId),
    ...endSecondStepsOf(meta, userId),
  )
  if (ENDS_TOOLS[reason]) act.write(...endGrantsOf(meta, userId, now()), endRequestsOf(meta, userId, now()))
}
