import type { Shard } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import { auditEntriesOf } from '../audit/log.ts'
import { creditsOf } from '../credits/credits.ts'
import { feedbacksOf } from '../feedback/feedback.ts'
import { notificationsOf } from '../notifications/notifications.ts'
import { getIdentity } from './user-data.ts'

/** A person can take along what is held about them; no token, no password. */
export async function exportAccount(platform: Platform, shard: Shard, userId: string) {
  const { meta, now } = platform
  const [user, notifications, feedbacks, credits, audit] = await Promise.all([
    getIdentity(platform, userId),
    notificationsOf(meta, shard, userId),
    feedbacksOf(shard, userId),
    creditsOf(shard, userId),
    auditEntriesOf(meta, userId),
  ])
  return { exported_at: now(), user, notifications, feedbacks, credits, audit }
}
