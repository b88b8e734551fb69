import { z } from 'zod'
import type { LetterQueueTable, MailQueueTable } from '../../../database/schema/mail.ts'
import { StoreUnavailable } from '../../../database/store.ts'
import { allEnded, type Job, restingFor } from '../../../platform/background.ts'
import { RepeatedFailure } from '../../../platform/log/repeated-failure.ts'
import { MailNotSent, type MailRoute } from '../../../platform/mail/mail.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { openLetter, type QueuedLetter } from '../../ground/letters/letters.ts'
import {
  claimLetters,
  claimMails,
  countLetters,
  deleteExpired,
  deleteMails,
  deleteNotices,
  insertMail,
  isLongerThan,
  putOffMail,
  type Queue,
} from '../../ground/letters/statements.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { shouldReceive } from './recipients.ts'
import { findMailRoute, getSender } from './sender.ts'
import type { Letter } from './texts/layout.ts'
import { beginMailTrouble, endMailTrouble, findMailTrouble } from './trouble.ts'
import { worded } from './wording.ts'

/** A letter with its final text. */
interface Mail extends Letter {
  readonly to: string
  readonly unsubscribe?: string | undefined
}

interface Announcement extends Mail, Pick<MailQueueTable, 'about'> {
  /** Dropped after this time. */
  readonly expiresAt: number
}

const MAIL_JOB = 'mail'
const ANNOUNCEMENT_MAIL_JOB = 'announcement-mail'
/** Fills the queue again. */
const ANNOUNCEMENTS_JOB = 'announcements'
const SEALED_FOR = 'mail'
// Exceeds the time limit of every provider.
const CLAIM_MILLISECONDS = MINUTE_MILLISECONDS
const AT_ONCE = 5
// A code is valid for five minutes, so more than this could not be sent in time anyway.
export const MOST_WAITING = 10_000
const ANNOUNCEMENT = 'announcement'
const ANNOUNCEMENTS_WAITING = 100
const ANNOUNCEMENTS_REST_TIMES = 9
/** About seven minutes, after which one address must not hold up the others. */
const ANNOUNCEMENT_ATTEMPTS = 12

/**
 * Goes into the decision that records which users were written to. Such a letter is never sent twice, and never before
 * a code.
 */
export function announcementStatement({ meta, secretBox, now }: Platform, { about, expiresAt, ...mail }: Announcement) {
  return insertMail(meta, {
    id: newId(),
    kind: ANNOUNCEMENT,
    sealed: secretBox.seal(SEALED_FOR, JSON.stringify(mail)),
    created_at: now(),
    expires_at: expiresAt,
    attempts: 0,
    next_attempt_at: now(),
    claimed_until: 0,
    last_error: null,
    about,
  })
}

/** Few wait here, so that archiving or unsubscribing still takes effect; the others are not written yet. */
export async function isRoomForAnnouncements({ meta }: Platform): Promise<boolean> {
  return !(await isLongerThan(meta, 'mail_queue', ANNOUNCEMENTS_WAITING, ANNOUNCEMENT))
}

/** A provider that is down must not fill the store. */
export async function refuseFullQueue({ meta }: Platform): Promise<void> {
  if (await isLongerThan(meta, 'letter_queue', MOST_WAITING)) throw new StoreUnavailable('mail queue')
}

/** Metrics only: one unavailable store must not hide the others. */
export function observeMailQueue({ meta, metrics }: Pick<Platform, 'meta' | 'metrics'>): void {
  metrics.gauge('mail_waiting', () => countLetters(meta))
}

/** Sends codes and notices. A claim excludes other processes, so each mail is sent once. */
export function mailJob(platform: Platform): Job {
  return sendingJob(platform, { name: MAIL_JOB, wokenBy: { meta: 'letter_queue' }, claim: claimOthers, restTimes: 0 })
}

/** Separate from the others, so that no code waits for an announcement, and slow enough that no request waits. */
export function announcementMailJob(platform: Platform): Job {
  return sendingJob(platform, {
    name: ANNOUNCEMENT_MAIL_JOB,
    wokenBy: { meta: 'mail_queue' },
    claim: async ({ meta }, now) => {
      const mails = await claimMails(meta, 'announcements', now, now + CLAIM_MILLISECONDS, AT_ONCE)
      return mails.map((row) => ({ queue: 'mail_queue', row }) as const)
    },
    restTimes: ANNOUNCEMENTS_REST_TIMES,
  })
}

/** A row that this process has claimed. */
interface Claimed {
  readonly queue: Queue
  readonly row: LetterQueueTable
}

/** Sends the rows of a 0.3.0 process first, which are older; later versions queue no codes and notices there. */
async function claimOthers({ meta }: Platform, now: number): Promise<readonly Claimed[]> {
  const until = now + CLAIM_MILLISECONDS
  const mails = await claimMails(meta, 'others', now, until, AT_ONCE)
  if (mails.length > 0) return mails.map((row) => ({ queue: 'mail_queue', row }) as const)
  const letters = await claimLetters(meta, now, until, AT_ONCE)
  return letters.map((row) => ({ queue: 'letter_queue', row }) as const)
}

interface Sending extends Pick<Job, 'name' | 'wokenBy'> {
  readonly claim: (platform: Platform, now: number) => Promise<readonly Claimed[]>
  readonly restTimes: number
}

function sendingJob(platform: Platform, { claim, restTimes, ...job }: Sending): Job {
  const { meta, now, background } = platform
  const failure = new RepeatedFailure(platform.log, {
    failed: 'a mail was not accepted',
    ended: 'mails are accepted again',
  })
  return {
    ...job,
    everySeconds: 5,
    async run() {
      await deleteExpired(meta, now())
      const rest = restingFor(restTimes)
      let sent: readonly Sent[] = []
      for (;;) {
        // Read each time: a provider takes long enough for the settings to change.
        const settings = await currentSettings(platform)
        const route = platform.ending.aborted ? undefined : await routeElseNoNotices(platform, settings)
        const claiming = route ? claim(platform, now()) : Promise.resolve([])
        // Both at the same time: in a file they share a commit.
        await allEnded([claiming, settle(platform, sent)])
        const claimed = await claiming
        if (!route || claimed.length === 0) return
        if (claimed[0]?.row.kind === ANNOUNCEMENT) background.wake(ANNOUNCEMENTS_JOB)
        const delivered = claimed.map((one) => deliver(platform, settings, route, one, failure))
        sent = (await Promise.all(delivered)).filter((one) => one !== undefined)
        await rest()
      }
    },
  }
}

/** Without a provider, letters about events are dropped rather than kept. */
async function routeElseNoNotices(platform: Platform, settings: Settings): Promise<MailRoute | undefined> {
  const route = findMailRoute(platform, settings)
  if (!route) await deleteNotices(platform.meta)
  return route
}

/** The provider accepted the mail, nobody should receive it, or it could not be sent, for this reason. */
type Outcome = 'sent' | 'dropped' | { readonly failed: string; readonly recipient: string }

interface Sent extends Claimed {
  readonly outcome: Outcome
}

/** Undefined if the process stops before the provider has answered. */
async function deliver(
  platform: Platform,
  settings: Settings,
  route: MailRoute,
  { queue, row }: Claimed,
  failure: RepeatedFailure,
): Promise<Sent | undefined> {
  let recipient = ''
  try {
    const waiting = opened(platform, queue, row)
    const { to } = waiting
    recipient = to
    if (!(await shouldReceive(platform.meta, row.kind, to))) return { queue, row, outcome: 'dropped' }
    const letter = 'content' in waiting ? await worded(platform, settings, waiting) : waiting
    const from = await getSender(platform, settings)
    await platform.mail.send(route, { ...letter, id: row.id, from, to })
    platform.metrics.count('mails', 'sent')
    failure.ended()
    return { queue, row, outcome: 'sent' }
  } catch (error) {
    // Treated as after a kill: it is sent again when its claim expires.
    if (platform.ending.aborted && error instanceof MailNotSent && error.mayHaveArrived) return undefined
    if (row.kind === ANNOUNCEMENT && (await isGivenUp(platform, row, error))) return { queue, row, outcome: 'dropped' }
    // One mail that cannot be sent must not hold up the others.
    failure.failed(error, 'warn')
    platform.metrics.count('mails', 'put off')
    return {
      queue,
      row,
      outcome: { failed: error instanceof Error ? error.message : String(error), recipient },
    }
  }
}

/** A letter that may have arrived is not sent again. While the provider refuses everything, no letter is given up. */
async function isGivenUp(platform: Platform, { attempts }: LetterQueueTable, error: unknown): Promise<boolean> {
  if (error instanceof MailNotSent && error.mayHaveArrived) return true
  return attempts >= ANNOUNCEMENT_ATTEMPTS && (await findMailTrouble(platform)) === undefined
}

/** Written in one commit; all are in one queue. */
async function settle(platform: Platform, sent: readonly Sent[]): Promise<void> {
  const [first] = sent
  if (!first) return
  const { meta, now } = platform
  const { queue } = first
  const done = sent.filter(({ outcome }) => typeof outcome === 'string').map(({ row }) => row.id)
  const putOff = sent.flatMap(({ row, outcome }) =>
    typeof outcome === 'string'
      ? []
      : [putOffMail(meta, queue, row.id, now() + waitAfter(row.attempts), outcome.failed)],
  )
  await allEnded([
    meta.batch([deleteMails(meta, queue, done), ...putOff]),
    noteTrouble(
      platform,
      sent.map(({ outcome }) => outcome),
    ),
  ])
}

function waitAfter(attempts: number): number {
  return Math.min(2 ** (attempts - 1) * 2_000, MINUTE_MILLISECONDS)
}

/** Many providers repeat the address that they refuse, and a user's address does not belong on the overview. */
function withoutAddress(words: string, address: string): string {
  if (address === '') return words
  return words.replaceAll(new RegExp(address.replaceAll(/\W/g, String.raw`\$&`), 'gi'), '…')
}

/** If a provider accepts one mail it works, and a refusal is about that one address. */
async function noteTrouble(platform: Platform, outcomes: readonly Outcome[]): Promise<void> {
  const failure = outcomes.find((outcome) => typeof outcome === 'object')
  if (outcomes.includes('sent')) await endMailTrouble(platform)
  else if (failure) await beginMailTrouble(platform, withoutAddress(failure.failed, failure.recipient))
}

const Sealed = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  unsubscribe: z.string().optional(),
})

function opened(platform: Platform, queue: Queue, { sealed }: LetterQueueTable): QueuedLetter | Mail {
  if (queue === 'letter_queue') return openLetter(platform, sealed)
  return Sealed.parse(JSON.parse(platform.secretBox.open(SEALED_FOR, sealed)))
}
