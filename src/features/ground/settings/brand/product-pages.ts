import { z } from 'zod'
import type { Background, Job } from '../../../../platform/background.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { listOf } from '../../../../rules/paging.ts'
import { DAY_SECONDS, MINUTE_MILLISECONDS } from '../../../../rules/time.ts'
import { currentSettings } from '../current-settings.ts'
import { returnOrigins } from './brand.ts'

const JOB = 'product-pages'
const REMEMBERED_SECONDS = 30 * DAY_SECONDS
const LONGEST_ORIGIN = 300
const MOST_AT_ONCE = 200
/** Anybody can name an origin, so only the latest of those not listed is remembered. */
const UNLISTED = 'product-page'

const Loaded = z.object({ origin: z.string(), seen_at: z.int() })
type Loaded = z.output<typeof Loaded>

export const ProductPages = listOf(
  z.object({ origin: z.string(), is_listed: z.boolean(), seen_at: z.int().nullable() }),
)

/** Sightings this process has not stored yet. */
const noted = new WeakMap<Background, Map<string, Loaded>>()

/** Notes that a page of this origin has loaded the script of the elements, and not who loaded it. */
export function notePage(platform: Platform, origin: string): void {
  const { memory, now, background } = platform
  if (origin.length > LONGEST_ORIGIN || !isOrigin(origin)) return
  if (now() - (memory.recall(keyOf(origin)) ?? 0) < MINUTE_MILLISECONDS) return
  const own = noted.get(background) ?? new Map<string, Loaded>()
  noted.set(background, own)
  if (own.size >= MOST_AT_ONCE) return
  own.set(origin, { origin, seen_at: now() })
  background.wake(JOB)
}

export function productPagesJob(platform: Platform): Job {
  return {
    name: JOB,
    everySeconds: 60,
    gatherMilliseconds: 1_000,
    async run() {
      const pages = [...(noted.get(platform.background)?.values() ?? [])]
      noted.delete(platform.background)
      if (pages.length === 0) return
      const listed = returnOrigins(platform.config, await currentSettings(platform))
      const unlisted = pages.findLast(({ origin }) => !listed.includes(origin))
      for (const page of pages.filter(({ origin }) => listed.includes(origin))) {
        await remember(platform, keyOf(page.origin), page)
        platform.memory.remember(keyOf(page.origin), page.seen_at)
      }
      if (unlisted) await remember(platform, UNLISTED, unlisted)
    },
  }
}

export async function listProductPages(platform: Platform): Promise<z.input<typeof ProductPages>> {
  const listed = returnOrigins(platform.config, await currentSettings(platform))
  const [latest, ...loaded] = await Promise.all([UNLISTED, ...listed.map(keyOf)].map((key) => recall(platform, key)))
  const items = listed.map((origin, at) => ({
    origin,
    is_listed: true,
    seen_at: loaded[at]?.seen_at ?? null,
  }))
  const others = latest && !listed.includes(latest.origin) ? [{ ...latest, is_listed: false }] : []
  return { items: [...items, ...others], total: items.length + others.length }
}

const keyOf = (origin: string) => `product-page:${origin}`

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.parse(text)?.origin === text
}

async function remember({ keyValue }: Platform, key: string, page: Loaded): Promise<void> {
  await keyValue.delete(key)
  await keyValue.setIfAbsent(key, JSON.stringify(page), REMEMBERED_SECONDS)
}

async function recall({ keyValue }: Platform, key: string): Promise<Loaded | undefined> {
  const known = await keyValue.get(key)
  return known && Loaded.parse(JSON.parse(known.value))
}
