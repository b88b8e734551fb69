import { v7 as newId } from 'uuid'
import type { Shard } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { folded } from '../../../rules/folded.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type Actor, auditRow } from '../../ground/audit/audit.ts'
import { insertIntoOutbox, outboxRow } from '../../ground/events/outbox-statements.ts'
import { eventRow, type NewRow } from '../../ground/events/statements.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { decideAs, writeAs } from '../../tenancy/shards/residents.ts'
import { findShardOf } from '../../tenancy/shards/shards.ts'
import { sendReply } from '../notifications/publishing.ts'
import { bytesOf, isBeyondQuota, slotOf } from './counts-store.ts'
import type { ReplyToFeedback, SubmitFeedback, UpdateFeedback } from './input.ts'
import { withContext } from './listing.ts'
import * as store from './store.ts'

/** Rule 1: into the caller's own shard, whatever the type. */
export async function submitFeedback(
  shard: Shard,
  userId: string,
  { type, content, context }: SubmitFeedback,
  now: number,
  keyed?: KeyedRequest,
): Promise<string> {
  const id = newId()
  const created = { type: 'feedback.created', user_id: userId, data: { id, type } } as const
  const { id: event_id, row: event } = outboxRow(eventRow(created, now))
  const sent = { id, user_id: userId, type, content, context: JSON.stringify(context) }
  const folded_content = foldedContent(content)
  const submission = { ...sent, folded_content, slot: slotOf(id), bytes: bytesOf(sent), now, event_id, event }
  try {
    return await writeOnce(shard, userId, keyed, now, async (record) => {
      await writeAs(shard, userId, [...store.submit(shard, submission), ...record(id)])
      return id
    })
  } catch (error) {
    if (!isBeyondQuota(error)) throw error
    throw new Refusal('QUOTA_EXCEEDED', 'You have sent as much feedback as one user can: 100 MB.')
  }
}

/** Null if the content has only letters of which the engines know both cases. */
function foldedContent(content: string): string | null {
  return /[\u0080-\uffff]/.test(content) ? folded(content) : null
}

export async function updateFeedback(platform: Platform, actor: Actor, { id, user_id, ...changes }: UpdateFeedback) {
  const entry = auditRow(platform, actor, {
    action: 'feedback.update',
    subject: { type: 'feedback', id },
    details: { user_id, ...changes },
    event: { type: 'feedback.updated', user_id, data: { id, ...changes } },
  })
  return change(platform, { id, user_id }, changes, entry)
}

async function change(
  platform: Platform,
  { id, user_id }: Pick<UpdateFeedback, 'id' | 'user_id'>,
  changes: store.Changes,
  entry: NewRow,
) {
  const shard = await findShardOf(platform, user_id)
  if (!shard) throw unknownFeedback()
  const update = store.update(shard, user_id, id, changes, platform.now())
  return decideAs(shard, user_id, [update], async (decision, [updated]) => {
    if (!updated) throw unknownFeedback()
    decision.write(insertIntoOutbox(shard, outboxRow(entry)))
    return withContext(updated)
  })
}

type Replied = Awaited<ReturnType<typeof updateFeedback>>

/**
 * The answer is stored with the feedback, then sent as a notification. No transaction spans both stores: if this stops
 * in between, the administrator gets an error and answers again.
 */
export async function replyToFeedback(
  platform: Platform,
  actor: Actor,
  { id, user_id, text }: ReplyToFeedback,
  keyed?: KeyedRequest,
) {
  const { meta, now } = platform
  return writeOnce<Replied>(meta, actor.id ?? '', keyed, now(), async (record) => {
    const entry = auditRow(platform, actor, {
      action: 'feedback.reply',
      subject: { type: 'feedback', id },
      details: { user_id },
    })
    const replied = await change(platform, { id, user_id }, { reply: text, replied_at: now() }, entry)
    const { brand } = await currentSettings(platform)
    await sendReply(platform, user_id, { text, language: brand.languages[0] ?? 'en' }, record(replied))
    return replied
  })
}

function unknownFeedback(): Refusal {
  return new Refusal('NOT_FOUND', 'This user has no such feedback.')
}
