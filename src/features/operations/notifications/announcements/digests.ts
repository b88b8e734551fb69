import type { Platform } from '../../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../../rules/time.ts'
import { announcementStatement } from '../../../delivery/mail/queue.ts'
import { addressesOf, digestLetter } from '../../../delivery/mail/texts/announcements.ts'
import type { LetterHead } from '../../../delivery/mail/texts/layout.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { addressee } from '../../../people/users/statements.ts'
import { preferencesOf } from '../statements.ts'
import * as store from './store.ts'
import { unsubscribeToken } from './unsubscribing.ts'

const LONGEST_DIGEST = 20
const DIGEST_HOUR = 7
/** Older news is not announced any more, and an older archived item no longer waits to be restored. */
export const STALE_MILLISECONDS = 3 * DAY_MILLISECONDS
export const LETTER_LIFETIME_MILLISECONDS = DAY_MILLISECONDS

export interface Letters {
  readonly platform: Platform
  readonly settings: Settings
  readonly head: LetterHead
}

/** The same hour for everyone, since nobody's time zone is known. */
export function nextDigest(now: number): number {
  const today = Math.floor(now / DAY_MILLISECONDS) * DAY_MILLISECONDS + DIGEST_HOUR * HOUR_MILLISECONDS
  return today > now ? today : today + DAY_MILLISECONDS
}

/** Returns false when none is due. */
export async function sendOneDigest({ platform, settings, head }: Letters): Promise<boolean> {
  const { meta, now } = platform
  return meta.decide([store.lockedDueEntry(meta, now())], async (decision, [due]) => {
    if (!due) return false
    const { user_id } = due
    const [entries, preferences, [user]] = await decision.read([
      store.lockedEntriesOf(meta, user_id, now(), LONGEST_DIGEST),
      preferencesOf(meta, user_id),
      addressee(meta, user_id),
    ])
    const ids = entries.map(({ notification_id }) => notification_id)
    const [items] = await decision.read([store.announced(meta, ids)])
    const staleBefore = now() - STALE_MILLISECONDS
    const archived = items.filter((item) => item.archived_at !== null && item.created_at > staleBefore)
    const off = new Set(preferences.flatMap(({ type, email }) => (email === 'off' ? [type] : [])))
    const wanted = items.filter(({ type, archived_at }) => archived_at === null && !off.has(type))
    const types = typesOfOneLetter(wanted)
    const sent = wanted.filter(({ type }) => types.has(type))
    const kept = new Set([...archived, ...wanted.filter((item) => !sent.includes(item))].map(({ id }) => id))
    const gone = ids.filter((id) => !kept.has(id))
    const archivedIds = archived.map(({ id }) => id)
    decision.write(
      store.deleteEntries(meta, user_id, gone),
      store.postponeEntries(meta, user_id, { ids: archivedIds, due_at: nextDigest(now()) }),
    )
    if (!user || sent.length === 0) return true
    decision.write(
      announcementStatement(platform, {
        to: user.email,
        about: null,
        expiresAt: now() + LETTER_LIFETIME_MILLISECONDS,
        ...digestLetter(
          head,
          addressesOf(platform, settings),
          unsubscribeToken(platform, { userId: user_id, types: [...types] }),
          sent,
        ),
      }),
    )
    return true
  })
}

/**
 * The header that unsubscribes from them is one line of at most 998 characters, which also contains the service's
 * address.
 */
const LONGEST_TYPES_BYTES = 480

/** The others go into the next letter. */
function typesOfOneLetter(wanted: readonly store.Announced[]): ReadonlySet<string> {
  const chosen = new Set<string>()
  for (const { type } of wanted) {
    const together = JSON.stringify([...chosen, type])
    if (Buffer.byteLength(together) <= LONGEST_TYPES_BYTES) chosen.add(type)
  }
  return chosen
}
