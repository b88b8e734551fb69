import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { invalidInput } from '../../../../rules/refusal.ts'
import { deleteAnnouncementsAbout } from '../../../ground/letters/statements.ts'
import { lockedUser } from '../../../people/users/statements.ts'
import type { UpdatePreferences } from '../input.ts'
import { preferencesOf } from '../statements.ts'
import * as store from './store.ts'

const TYPES_AT_MOST = 100
const NEWEST = 200

/** The types that the user has met, or has decided about. */
export async function listPreferences(meta: Kysely<MetaTables>, userId: string) {
  const [saved, recent] = await Promise.all([
    preferencesOf(meta, userId).execute(),
    store.recentTypes(meta, userId, NEWEST),
  ])
  return { items: withDefaults(saved, recent) }
}

type Saved = Awaited<ReturnType<ReturnType<typeof preferencesOf>['execute']>>

function withDefaults(saved: Saved, types: readonly string[]): Saved {
  const known = new Set(saved.map(({ type }) => type))
  const unchanged = types.filter((type) => !known.has(type)).map((type) => ({ type, email: 'each' }) as const)
  return [...saved, ...unchanged].sort((a, b) => (a.type < b.type ? -1 : 1))
}

/** Types that are not sent stay as they are. */
export function updatePreferences(platform: Platform, userId: string, { items }: UpdatePreferences): Promise<void> {
  return save(platform, userId, items, TYPES_AT_MOST)
}

/** Comes from a letter, so it is never refused: there are no more types than the administrator has sent. */
export function turnOff(platform: Platform, userId: string, types: readonly string[]): Promise<void> {
  const items = types.map((type) => ({ type, email: 'off' }) as const)
  return save(platform, userId, items, Number.POSITIVE_INFINITY)
}

/** Letters that wait for the provider are taken back too. */
async function save(
  { meta }: Platform,
  userId: string,
  items: UpdatePreferences['items'],
  typesAtMost: number,
): Promise<void> {
  const last = [...new Map(items.map((item) => [item.type, item])).values()]
  await meta.decide([lockedUser(meta, userId), preferencesOf(meta, userId)], async (decision, [user], saved) => {
    if (!user) return
    const after = new Map([...saved, ...last].map(({ type, email }) => [type, email]))
    const changed = [...after.values()].filter((email) => email !== 'each')
    if (changed.length > Math.max(typesAtMost, saved.length))
      throw invalidInput('items', `More than ${TYPES_AT_MOST} types.`)
    const off = last.filter(({ email }) => email === 'off').map(({ type }) => aboutOf(userId, type))
    decision.write(
      store.savePreferences(meta, userId, last),
      store.deleteDefaults(meta, userId),
      off.length > 0 ? deleteAnnouncementsAbout(meta, off) : undefined,
    )
  })
}

/** The user and type to unsubscribe from a waiting letter. */
export function aboutOf(userId: string, type: string): string {
  return `${userId} ${type}`
}
