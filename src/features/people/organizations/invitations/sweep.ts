import type { Job } from '../../../../platform/background.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../../rules/time.ts'
import { deleteOldInvitations } from '../../memberships/invitation-statements.ts'

const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS

/** An invitation that has ended stays for a month, so that its members can see what became of it. */
export function invitationSweep({ meta, now }: Pick<Platform, 'meta' | 'now'>): Job {
  return {
    name: 'invitation-sweep',
    everySeconds: HOUR_SECONDS,
    run: () => deleteOldInvitations(meta, now() - KEPT_MILLISECONDS),
  }
}
