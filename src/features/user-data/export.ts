import type { Shard } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import { auditEntriesOf } from '../audit/log.ts'
import { creditsOf, getBalance } from '../credits/credits.ts'
import { feedbacksOf } from '../feedback/feedback.ts'
import { readMarksOf, targetedAt } from '../notifications/notifications.ts'
import { readAs } from '../shards/reading.ts'
import { getIdentity } from './user-data.ts'

/** Everything that is stored about a user, for that user; no tokens, no passwords. */
export async function exportAccount(platform: Platform, shard: Shard, userId: string) {
  const { meta, now } = platform
  // Creates it, with the signup reward, if this is the first to read it.
  await getBalance(platform, shard, userId)
  const [user, targeted, own, audit] = await Promise.all([
    getIdentity(platform, userId),
    targetedAt(meta, userId),
    readAs(platform, shard, userId, (at) => [
      readMarksOf(at, userId),
      feedbacksOf(at, userId),
      ...creditsOf(at, userId),
    ]),
    auditEntriesOf(meta, userId),
  ])
  const [marks, feedbacks, [credits], entries] = own.rows
  return {
    exported_at: now(),
    user,
    notifications: { targeted, read: marks.map(({ notification_id }) => notification_id) },
    feedbacks: [...feedbacks],
    credits: { balance: credits?.balance ?? 0, entries: [...entries] },
    audit,
  }
}
