import type { SignedInCall } from '../../http/route.ts'
import { refuseUntil } from './limits.ts'

const MINUTE_MILLISECONDS = 60_000

/**
 * How often one signed-in user can do what writes rows, sends mail or reads much. No person comes near; a program
 * that runs wild, or a thief with a session, is held up. Counted in each process, as a write of its own for each
 * act would cost more than what it prevents.
 */
export const ACTS = {
  feedback: { most: 600, minutes: 10 },
  /** Each can leave a row, as any id is marked. */
  'read-marks': { most: 6_000, minutes: 10 },
  /** Each leaves a row for ten minutes. */
  'authorization-requests': { most: 120, minutes: 10 },
  /** Each leaves a row for months. */
  'personal-tokens': { most: 60, minutes: 60 },
  'profile-changes': { most: 600, minutes: 10 },
  /** Each reads everything that is held about the user. */
  'factor-changes': { most: 60, minutes: 10 },
  exports: { most: 30, minutes: 60 },
  'notifications-published': { most: 3_000, minutes: 10 },
  /** To an address of the administrator's choice. */
  /** Each sends a letter. */
  invitations: { most: 600, minutes: 60 },
  'test-mails': { most: 30, minutes: 60 },
} as const

export type Act = keyof typeof ACTS

/** Counts one act of the caller; refuses from the first beyond the limit, with the time that is left. */
export function countAct({ platform, caller }: SignedInCall, act: Act): void {
  const { memory, now, config } = platform
  const { most, minutes } = ACTS[act]
  const key = `act:${act}:${caller.user.id}`
  const started = memory.recall(`${key}:started`)
  const end = (started ?? Number.NEGATIVE_INFINITY) + minutes * MINUTE_MILLISECONDS
  const isOver = end <= now()
  if (isOver) memory.remember(`${key}:started`, now())
  const uses = isOver ? 0 : (memory.recall(key) ?? 0)
  if (uses >= most * config.userLimitFactor) refuseUntil(platform, end)
  memory.remember(key, uses + 1)
}
