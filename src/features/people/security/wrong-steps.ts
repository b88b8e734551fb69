import type { Call } from '../../../http/route.ts'
import { noticeToOwner } from '../../delivery/mail/notices.ts'
import { anonymous, auditEntry, programOf } from '../../ground/audit/audit.ts'
import { addUse, LIMITS } from '../../ground/limits/limits.ts'
import { logFailedSignIn } from '../identity/failed-sign-in-log.ts'
import type { PendingSignIn } from '../sessions/second-step/second-step.ts'
import { getUser } from '../users/users.ts'
import { type CodeKind, wrongCode } from './guessing.ts'

/**
 * The owner sees it among the recent sign-ins. The tenth in a day also causes a letter: somebody has passed
 * the first step.
 */
export async function recordWrongStep(call: Call, pending: PendingSignIn, kind: CodeKind): Promise<void> {
  const { platform, sender } = call
  const { code } = wrongCode(kind)
  const wrong = await addUse(platform, 'wrong-second-steps', pending.user_id)
  const user = await getUser(platform.meta, pending.user_id)
  const needsLetter = wrong === LIMITS['wrong-second-steps'].most
  await platform.meta.batch([
    auditEntry(platform, anonymous(sender), {
      action: 'user.sign_in_refused',
      subject: { type: 'user', id: user.id },
      details: { provider: pending.first_step, second_step: kind, code, ...programOf(sender) },
    }),
    ...(needsLetter ? await noticeToOwner(call, user, 'wrong second steps') : []),
  ])
  logFailedSignIn(call, code, { second_step: kind })
}
