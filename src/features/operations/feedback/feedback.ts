import type { Shard } from '../../../database/store.ts'
import type { ProtectedCall, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { folded } from '../../../rules/folded.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { decide, rowOf, type ShardAct } from '../../ground/acts/acts.ts'
import { outboxRow } from '../../ground/events/outbox-statements.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { refuseForColleague } from '../../people/users/users.ts'
import { decideAs, writeAs } from '../../tenancy/shards/residents.ts'
import { findShardOf } from '../../tenancy/shards/shards.ts'
import { sendReply } from '../notifications/publishing.ts'
import { bytesOf, isBeyondQuota, slotOf } from './counts-store.ts'
import type { ReplyToFeedback, SubmitFeedback, UpdateFeedback } from './input.ts'
import { withContext } from './listing.ts'
import * as store from './store.ts'

/** Rule 1: feedback of any type goes into the caller's own shard. */
export async function submitFeedback(
  platform: Pick<Platform, 'now'>,
  shard: Shard,
  userId: string,
  { type, content, context }: SubmitFeedback,
  keyed?: KeyedRequest,
): Promise<string> {
  const id = newId()
  const now = platform.now()
  const created = rowOf({ platform }, 'feedback.created', { user: { id: userId }, data: { id, type } })
  const { id: event_id, row: event } = outboxRow(created)
  const sent = { id, user_id: userId, type, content, context: JSON.stringify(context) }
  const folded_content = foldedContent(content)
  const submission = { ...sent, folded_content, slot: slotOf(id), bytes: bytesOf(sent), now, event_id, event }
  try {
    return await writeOnce(shard, userId, keyed, now, async (record) => {
      await writeAs(shard, userId, ...store.submit(shard, submission), record(id))
      return id
    })
  } catch (error) {
    if (!isBeyondQuota(error)) throw error
    throw new Refusal('QUOTA_EXCEEDED', 'You have sent as much feedback as one user can: 100 MB.')
  }
}

/** Null for plain ASCII, whose letters the engines compare without case themselves. */
function foldedContent(content: string): string | null {
  return /[\u0080-\uffff]/.test(content) ? folded(content) : null
}

export function updateFeedback(call: SignedInCall, { id, user_id, ...changes }: UpdateFeedback) {
  return change(call, { id, user_id }, changes, (act, subject) =>
    act.record('feedback.update', {
      subject,
      user: { id: user_id },
      details: { user_id, ...changes },
      data: { id, ...changes },
    }),
  )
}

async function change(
  call: SignedInCall,
  { id, user_id }: Pick<UpdateFeedback, 'id' | 'user_id'>,
  changes: Omit<store.Changes, 'handled_by'>,
  record: (act: ShardAct, subject: { readonly type: 'feedback'; readonly id: string }) => void,
) {
  const { platform, caller } = call
  await refuseForColleague(call, user_id)
  const shard = await findShardOf(platform, user_id)
  if (!shard) throw unknownFeedback()
  const { id: by, name, email } = caller.user
  const update = store.update(shard, user_id, id, { ...changes, handled_by: by }, platform.now())
  return decideAs(call, shard, user_id, [update], async (act, [updated]) => {
    if (!updated) throw unknownFeedback()
    record(act, { type: 'feedback', id })
    return { ...withContext(updated), handled_by: { id: by, name: name || email } }
  })
}

type Replied = Awaited<ReturnType<typeof updateFeedback>>

/**
 * The answer is stored with the feedback, then sent as a notification. No transaction spans both stores: if this stops
 * in between, the administrator gets an error and answers again.
 */
export async function replyToFeedback(
  call: ProtectedCall,
  { id, user_id, text }: ReplyToFeedback,
  keyed?: KeyedRequest,
) {
  const { platform, caller } = call
  const { meta, now } = platform
  return writeOnce<Replied>(meta, caller.user.id, keyed, now(), async (record) => {
    const replied = await change(call, { id, user_id }, { reply: text, replied_at: now() }, (act, subject) =>
      act.record('feedback.reply', { subject, details: { user_id } }),
    )
    const { brand } = await currentSettings(platform)
    await decide(call, [], async (act) => {
      sendReply(act, platform, user_id, { text, language: brand.languages[0] ?? 'en' })
      act.write(record(replied))
    })
    return replied
  })
}

function unknownFeedback(): Refusal {
  return new Refusal('NOT_FOUND', 'This user has no such feedback.')
}
