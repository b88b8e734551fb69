import { v7 as newId } from 'uuid'
import { z } from 'zod'
import type { MailKind, MailQueueTable } from '../../../database/schema/mail.ts'
import { StoreUnavailable } from '../../../database/store.ts'
import type { Job } from '../../../platform/background.ts'
import { RepeatedFailure } from '../../../platform/log/repeated-failure.ts'
import { MailNotSent, type MailRoute } from '../../../platform/mail/mail.ts'
import type { Platform } from '../../../platform/platform.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { currentSettings } from '../../ground/settings/settings.ts'
import { shouldReceive } from './recipients.ts'
import { findMailRoute, getSender } from './sender.ts'
import * as store from './store.ts'
import type { Letter } from './texts/layout.ts'
import { beginMailTrouble, endMailTrouble, findMailTrouble } from './trouble.ts'

interface QueuedMail extends Letter {
  readonly kind: MailKind
  readonly to: string
  /** Not sent after this time. */
  readonly expiresAt: number
  readonly unsubscribe?: string
}

const MAIL_JOB = 'mail'
/** Fills the queue again. */
const ANNOUNCEMENTS_JOB = 'announcements'
const SEALED_FOR = 'mail'
// Longer than the time limit of any provider.
const CLAIM_MILLISECONDS = MINUTE_MILLISECONDS
const AT_ONCE = 5
// A code is valid for five minutes, so more than this could not be sent in time anyway.
const MOST_WAITING = 10_000
const ANNOUNCEMENT = 'announcement'
const ANNOUNCEMENTS_WAITING = 100
/** About seven minutes, after which one address must not hold up the others. */
const ANNOUNCEMENT_ATTEMPTS = 12

/** For the batch that causes the mail; its commit wakes the job. */
export function mailStatement(platform: Platform, mail: QueuedMail) {
  return store.insertMail(platform.meta, rowOf(platform, mail))
}

/** For the batch that notes who has been written to. Such a letter is never sent twice, and never before a code. */
export function announcementStatement(
  platform: Platform,
  { about, ...mail }: Omit<QueuedMail, 'kind'> & Pick<MailQueueTable, 'about'>,
) {
  return store.insertMail(platform.meta, { ...rowOf(platform, { ...mail, kind: ANNOUNCEMENT }), about })
}

/** Few wait here, so that a stop or an unsubscription comes in time; the others wait where they are written. */
export async function isRoomForAnnouncements({ meta }: Platform): Promise<boolean> {
  return !(await store.isLongerThan(meta, ANNOUNCEMENTS_WAITING, ANNOUNCEMENT))
}

function rowOf({ secretBox, now }: Platform, { kind, expiresAt, ...mail }: QueuedMail): MailQueueTable {
  return {
    id: newId(),
    kind,
    sealed: secretBox.seal(SEALED_FOR, JSON.stringify(mail)),
    created_at: now(),
    expires_at: expiresAt,
    attempts: 0,
    next_attempt_at: now(),
    claimed_until: 0,
    last_error: null,
    about: null,
  }
}

/** A provider that is down must not fill the store. */
export async function refuseFullQueue({ meta }: Platform): Promise<void> {
  if (await store.isLongerThan(meta, MOST_WAITING)) throw new StoreUnavailable('mail queue')
}

/** For the metrics: an unavailable store must not make all the others unavailable. */
export function observeMailQueue({ meta, metrics }: Pick<Platform, 'meta' | 'metrics'>): void {
  metrics.gauge('mail_waiting', () => store.countMails(meta))
}

/** A claim excludes other processes, so each mail is sent once. */
export function mailJob(platform: Platform): Job {
  platform.meta.onInsert('mail_queue', () => platform.background.wake(MAIL_JOB))
  const failure = new RepeatedFailure(platform.log, {
    failed: 'a mail was not accepted',
    ended: 'mails are accepted again',
  })
  return {
    name: MAIL_JOB,
    everySeconds: 5,
    async run() {
      const { meta, now } = platform
      await store.deleteExpired(meta, now())
      while (!platform.ending.aborted) {
        // Read each time: a provider takes long enough for the settings to change.
        const settings = await currentSettings(platform)
        const route = findMailRoute(platform, settings)
        if (!route) return
        const claimed = await claimSome(platform)
        if (claimed.length === 0) return
        const outcomes = await Promise.all(
          claimed.map((row) => deliver(platform, settings, route, row, failure)),
        )
        await noteTrouble(platform, outcomes)
      }
    },
  }
}

/** Others first: a code is waited for. */
async function claimSome({ meta, now, background }: Platform): Promise<readonly MailQueueTable[]> {
  const until = now() + CLAIM_MILLISECONDS
  const urgent = await store.claimDue(meta, now(), until, AT_ONCE)
  if (urgent.length > 0) return urgent
  const announcements = await store.claimAnnouncements(meta, now(), until, AT_ONCE)
  if (announcements.length > 0) background.wake(ANNOUNCEMENTS_JOB)
  return announcements
}

/** The provider accepted the mail, nobody should receive it, or the reason why the provider refused it. */
type Outcome = 'sent' | 'dropped' | { readonly failed: string }

async function deliver(
  platform: Platform,
  settings: Settings,
  route: MailRoute,
  row: MailQueueTable,
  failure: RepeatedFailure,
): Promise<Outcome> {
  let recipient = ''
  try {
    const { to, ...letter } = opened(platform, row)
    recipient = to
    const isMeant = await shouldReceive(platform.meta, row.kind, to)
    if (isMeant) {
      const from = await getSender(platform, settings)
      await platform.mail.send(route, { id: row.id, from, to, ...letter })
      platform.metrics.count('mails', 'sent')
      failure.ended()
    }
    await store.deleteMail(platform.meta, row.id)
    return isMeant ? 'sent' : 'dropped'
  } catch (error) {
    if (row.kind === ANNOUNCEMENT && (await isGivenUp(platform, row, error))) {
      await store.deleteMail(platform.meta, row.id)
      return 'dropped'
    }
    // One mail that cannot be sent must not hold up the others.
    failure.failed(error, 'warn')
    return { failed: withoutAddress(await putOff(platform, row, error), recipient) }
  }
}

/** What may have arrived is not sent again. While the provider refuses everything, nothing is given up. */
async function isGivenUp(platform: Platform, { attempts }: MailQueueTable, error: unknown): Promise<boolean> {
  if (error instanceof MailNotSent && error.mayHaveArrived) return true
  return attempts >= ANNOUNCEMENT_ATTEMPTS && (await findMailTrouble(platform)) === undefined
}

async function putOff({ meta, metrics, now }: Platform, row: MailQueueTable, error: unknown) {
  const waitMilliseconds = Math.min(2 ** (row.attempts - 1) * 2_000, MINUTE_MILLISECONDS)
  const words = error instanceof Error ? error.message : String(error)
  await store.putOffMail(meta, row.id, now() + waitMilliseconds, words)
  metrics.count('mails', 'put off')
  return words
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
  else if (failure) await beginMailTrouble(platform, failure.failed)
}

const Sealed = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  unsubscribe: z.string().optional(),
})

function opened({ secretBox }: Platform, { sealed }: MailQueueTable) {
  return Sealed.parse(JSON.parse(secretBox.open(SEALED_FOR, sealed)))
}
