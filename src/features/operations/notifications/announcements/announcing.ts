import type { NotificationsTable } from '../../../../database/schema/operations.ts'
import type { Job } from '../../../../platform/background.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { isSynthetic } from '../../../../rules/email.ts'
import { announcementStatement, isRoomForAnnouncements } from '../../../delivery/mail/queue.ts'
import { isMailAvailable, letterHead } from '../../../delivery/mail/sender.ts'
import { addressesOf, announcementLetter } from '../../../delivery/mail/texts/announcements.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import { addressees } from '../../../people/users/statements.ts'
import { LETTER_LIFETIME_MILLISECONDS, type Letters, nextDigest, STALE_MILLISECONDS, sendOneDigest } from './digests.ts'
import { aboutOf } from './preferences.ts'
import * as store from './store.ts'
import { unsubscribeToken } from './unsubscribing.ts'

// A letter takes less than half a millisecond to write, and the event loop waits for no more than 20.
const USERS_AT_ONCE = 25

/**
 * Feeds the mail queue at the provider's pace. Letters and progress are written in one commit, so after a stop at any
 * line each user is handled once.
 */
export function announcementsJob(platform: Platform): Job {
  return {
    name: 'announcements',
    wokenBy: { meta: 'announcement' },
    everySeconds: 5,
    atStart: true,
    async run() {
      const settings = await currentSettings(platform)
      if (!isMailAvailable(platform, settings)) return
      const head = await letterHead(platform, settings)
      const letters = { platform, settings, head }
      while (!platform.ending.aborted && (await isRoomForAnnouncements(platform))) {
        if (!(await announceToSome(letters)) && !(await sendOneDigest(letters))) return
      }
    },
  }
}

/** Returns false when no announcement is left. */
async function announceToSome(letters: Letters): Promise<boolean> {
  const { meta, now } = letters.platform
  const staleBefore = now() - STALE_MILLISECONDS
  return meta.decide([store.lockedAnnouncement(meta, staleBefore)], async (decision, [announcement]) => {
    if (!announcement) return false
    const { notification_id, after_user_id } = announcement
    const notification = await decision.first(store.notification(meta, notification_id))
    if (!notification || notification.created_at <= staleBefore) {
      decision.write(store.deleteAnnouncement(meta, notification_id))
      return true
    }
    if (notification.archived_at !== null) return true
    const users = (await decision.read([addressees(meta, after_user_id, notification, USERS_AT_ONCE)]))[0]
    const ids = users.map(({ id }) => id)
    const [chosen] = await decision.read([store.preferencesAbout(meta, notification.type, ids)])
    decision.write(
      ...statementsFor(letters, notification, users, chosen),
      users.length < USERS_AT_ONCE
        ? store.deleteAnnouncement(meta, notification_id)
        : store.advance(meta, notification_id, ids.at(-1) ?? after_user_id),
    )
    return true
  })
}

interface Addressee {
  readonly id: string
  readonly email: string
}

function statementsFor(
  { platform, settings, head }: Letters,
  notification: NotificationsTable,
  users: readonly Addressee[],
  chosen: readonly { readonly user_id: string; readonly email: string }[],
) {
  const { meta, now } = platform
  const preference = new Map(chosen.map(({ user_id, email }) => [user_id, email]))
  const mailed = users.filter(({ email }) => !isSynthetic(email))
  const daily = mailed.filter(({ id }) => preference.get(id) === 'daily')
  const entries = daily.map(({ id }) => ({
    user_id: id,
    notification_id: notification.id,
    due_at: nextDigest(now()),
  }))
  const addresses = addressesOf(platform, settings)
  const each = mailed
    .filter(({ id }) => !preference.has(id))
    .map(({ id, email }) =>
      announcementStatement(platform, {
        to: email,
        about: aboutOf(id, notification.type),
        expiresAt: now() + LETTER_LIFETIME_MILLISECONDS,
        ...announcementLetter(
          head,
          addresses,
          unsubscribeToken(platform, { userId: id, types: [notification.type] }),
          notification,
        ),
      }),
    )
  return entries.length > 0 ? [...each, store.addToDigests(meta, entries)] : each
}
