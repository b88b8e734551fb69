import { unlessUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { findMailTrouble } from '../../delivery/mail/trouble.ts'
import { countWaitingDeliveries } from '../../delivery/webhooks/waiting.ts'
import { storeStates } from '../../ground/health/health.ts'
import { waitingLetters } from '../../ground/letters/statements.ts'
import { findTroubles } from '../../ground/troubles/troubles.ts'
import { countUsers, signUpsByDay } from '../../people/users/statements.ts'
import { listFeedbacks } from '../feedback/listing.ts'
import { countPublished } from '../notifications/statements.ts'

const SHOWN_DAYS = 30

/** The figures on the console's first page. */
export async function overviewOf(platform: Platform) {
  const { meta } = platform
  const [people, newFeedbacks, notifications, mails, trouble, deliveries, stores, troubles] = await Promise.all([
    peopleOf(platform),
    countNewFeedbacks(platform),
    countPublished(meta),
    waitingLetters(meta),
    findMailTrouble(platform),
    countWaitingDeliveries(meta),
    storeStates(platform),
    findTroubles(platform),
  ])
  return {
    ...people,
    new_feedbacks: newFeedbacks,
    notifications,
    mails_waiting: mails.waiting,
    mails_failing: mails.failing,
    mail_trouble: trouble ?? null,
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

async function peopleOf({ meta, now }: Platform) {
  const today = Math.floor(now() / DAY_MILLISECONDS)
  const days = Array.from({ length: SHOWN_DAYS }, (_, i) => today - SHOWN_DAYS + 1 + i)
  const [[all], counted] = await meta.snapshot([countUsers(meta), signUpsByDay(meta, days)])
  const counts = new Map(counted.map(({ value, total }) => [value, total]))
  const sign_ups = days.map((day) => ({
    day: new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10),
    count: counts.get(String(day)) ?? 0,
  }))
  return { users: all?.total ?? 0, sign_ups }
}
