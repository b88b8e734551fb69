import { unlessUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { doesMailWork, findMailTrouble } from '../../delivery/mail/trouble.ts'
import { countWaitingDeliveries } from '../../delivery/webhooks/waiting.ts'
import { storeStates } from '../../ground/health/health.ts'
import { waitingLetters } from '../../ground/letters/statements.ts'
import { findTroubles } from '../../ground/troubles/troubles.ts'
import { countUsers, signUpsByDay } from '../../people/users/statements.ts'
import { nameOf } from '../daily-figures/days.ts'
import { activeOfWeeks } from '../daily-figures/statements.ts'
import { feedbackByDay, listFeedbacks } from '../feedback/listing.ts'
import { countPublished } from '../notifications/statements.ts'

const SHOWN_DAYS = 30

/** The figures on the console's first page. */
export async function overviewOf(platform: Platform) {
  const { meta } = platform
  const [people, newFeedbacks, feedbacks, notifications, mails, trouble, works, deliveries, stores, troubles] =
    await Promise.all([
      peopleOf(platform),
      countNewFeedbacks(platform),
      feedbacksOf(platform),
      countPublished(meta),
      waitingLetters(meta),
      findMailTrouble(platform),
      doesMailWork(platform),
      countWaitingDeliveries(meta),
      storeStates(platform),
      findTroubles(platform),
    ])
  return {
    ...people,
    new_feedbacks: newFeedbacks,
    feedbacks,
    notifications,
    mails_waiting: mails.waiting,
    mails_failing: mails.failing,
    mail_trouble: trouble ?? null,
    mail_works: works && trouble === undefined,
    troubles: troubles.map(({ about, words }) => ({ about, words })),
    deliveries_waiting: deliveries,
    stores: Object.entries(stores).map(([name, state]) => ({ name, state })),
  }
}

/** The overview opens without the count if a shard is down, because it says which one. */
async function countNewFeedbacks(platform: Platform): Promise<number | null> {
  const newest = { status: 'new', order: 'newest', page: 1, page_size: 1 } as const
  const list = await listFeedbacks(platform, newest).catch(unlessUnavailable)
  return list?.total ?? null
}

/** New feedback of each day, from every shard; none while one is down. */
async function feedbacksOf(platform: Platform) {
  const days = lastDays(platform.now())
  const counted = await feedbackByDay(platform, (days[0] ?? 0) * DAY_MILLISECONDS).catch(unlessUnavailable)
  return days.map((day) => ({ day: nameOf(day), count: counted?.get(day) ?? 0 }))
}

function lastDays(now: number): readonly number[] {
  const today = Math.floor(now / DAY_MILLISECONDS)
  return Array.from({ length: SHOWN_DAYS }, (_, i) => today - SHOWN_DAYS + 1 + i)
}

async function peopleOf({ meta, now }: Platform) {
  const days = lastDays(now())
  const [[all], counted, [active]] = await meta.snapshot([
    countUsers(meta),
    signUpsByDay(meta, days),
    activeOfWeeks(meta, now()),
  ])
  const counts = new Map(counted.map(({ value, total }) => [value, total]))
  const sign_ups = days.map((day) => ({
    day: nameOf(day),
    count: counts.get(String(day)) ?? 0,
  }))
  return {
    users: all?.total ?? 0,
    sign_ups,
    active_week: Number(active?.week ?? 0),
    active_week_before: Number(active?.before ?? 0),
  }
}
