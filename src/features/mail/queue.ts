import type { Expression } from 'kysely'
import { v7 as newId } from 'uuid'
import { z } from 'zod'
import type { MailKind, MailQueueTable } from '../../database/schema/mail.ts'
import { StoreUnavailable } from '../../database/store.ts'
import type { Job } from '../../platform/background.ts'
import type { MailRoute } from '../../platform/mail/mail.ts'
import type { Platform } from '../../platform/platform.ts'
import { MINUTE_MILLISECONDS } from '../../rules/time.ts'
import type { Settings } from '../settings/model.ts'
import { currentSettings } from '../settings/settings.ts'
import type { Letter } from './letter.ts'
import { shouldReceive } from './recipients.ts'
import { findMailRoute, getSender } from './sender.ts'
import * as store from './store.ts'
import { beginMailTrouble, endMailTrouble } from './trouble.ts'

interface QueuedMail extends Letter {
  readonly kind: MailKind
  readonly to: string
  /** Not sent after this time. */
  readonly expiresAt: number
}

const MAIL_JOB = 'mail'
const SEALED_FOR = 'mail'
// Longer than the time limit of any provider.
const CLAIM_MILLISECONDS = MINUTE_MILLISECONDS
const AT_ONCE = 5
// A code is valid for five minutes, so more than this could not be sent in time anyway.
const MOST_WAITING = 10_000

/** For the batch that causes the mail; its commit wakes the job. */
export function mailStatement(platform: Platform, mail: QueuedMail) {
  return store.insertMail(platform.meta, rowOf(platform, mail))
}

/** The same, only if the condition holds when the statement runs. */
export function mailStatementIf(platform: Platform, mail: QueuedMail, onlyIf: Expression<unknown>) {
  return store.insertMailIf(platform.meta, rowOf(platform, mail), onlyIf)
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
        const claimed = await store.claimDue(meta, now(), now() + CLAIM_MILLISECONDS, AT_ONCE)
        if (claimed.length === 0) return
        const outcomes = await Promise.all(claimed.map((row) => deliver(platform, settings, route, row)))
        await noteTrouble(platform, outcomes)
      }
    },
  }
}

/** The provider accepted the mail, nobody should receive it, or the reason why the provider refused it. */
type Outcome = 'sent' | 'dropped' | { readonly failed: string }

async function deliver(
  platform: Platform,
  settings: Settings,
  route: MailRoute,
  row: MailQueueTable,
): Promise<Outcome> {
  let recipient = ''
  try {
    const { to, ...letter } = opened(platform, row)
    recipient = to
    const isMeant = await shouldReceive(platform.meta, row.kind, to)
    if (isMeant) {
      await platform.mail.send(route, { from: await getSender(platform, settings), to, ...letter })
      platform.metrics.count('mails', 'sent')
    }
    await store.deleteMail(platform.meta, row.id)
    return isMeant ? 'sent' : 'dropped'
  } catch (error) {
    // One mail that cannot be sent must not hold up the others.
    return { failed: withoutAddress(await putOff(platform, row, error), recipient) }
  }
}

async function putOff({ meta, log, metrics, now }: Platform, row: MailQueueTable, error: unknown) {
  const waitMilliseconds = Math.min(2 ** (row.attempts - 1) * 2_000, MINUTE_MILLISECONDS)
  const words = error instanceof Error ? error.message : String(error)
  await store.putOffMail(meta, row.id, now() + waitMilliseconds, words)
  metrics.count('mails', 'put off')
  log.warn({ error, kind: row.kind, attempts: row.attempts }, 'a mail was not accepted')
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

const Sealed = z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string() })

function opened({ secretBox }: Platform, { sealed }: MailQueueTable) {
  return Sealed.parse(JSON.parse(secretBox.open(SEALED_FOR, sealed)))
}
