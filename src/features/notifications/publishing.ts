import type { Compilable } from 'kysely'
import { v7 as newId } from 'uuid'
import { batchBehind, Overtaken, untilNotOvertaken } from '../../database/guard.ts'
import type { NotificationsTable } from '../../database/schema/operations.ts'
import { pageWithTotal } from '../../database/sql/page-with-total.ts'
import { ConstraintViolation, type Meta } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import type { KeyedRequest } from '../../rules/idempotency.ts'
import { sliceOf } from '../../rules/paging.ts'
import { invalidInput, Refusal } from '../../rules/refusal.ts'
import { type Act, type Actor, auditEntry, auditEntryIf } from '../audit/audit.ts'
import type { NewEvent } from '../events/statements.ts'
import { writeOnce } from '../idempotency/idempotency.ts'
import type { CreateNotification, ListAllNotifications, UpdateNotification } from './input.ts'
import * as store from './publishing-store.ts'

export async function createNotification(
  platform: Platform,
  actor: Actor,
  input: CreateNotification,
  keyed?: KeyedRequest,
): Promise<string> {
  const { meta } = platform
  const id = newId()
  const now = platform.now()
  const row = { id, ...input, created_at: now, updated_at: now, archived_at: null }
  const act: Act = {
    action: 'notification.create',
    subject: { type: 'notification', id },
    details: { type: input.type, title: input.title, target_user_id: input.target_user_id },
    event: publishedEvent(row),
  }
  try {
    return await writeOnce(meta, actor.id ?? '', keyed, now, async (record) => {
      await meta.batch([store.insert(meta, row), auditEntry(platform, actor, act), ...record(id)])
      return id
    })
  } catch (error) {
    if (!(error instanceof ConstraintViolation) || error.kind !== 'foreign-key') throw error
    throw invalidInput('target_user_id', 'There is no such user.')
  }
}

/** Every notification, for everyone or for one user, including archived ones. */
export function listPublished(meta: Meta, filter: ListAllNotifications) {
  const page = store.publishedPage(meta, filter, sliceOf(filter))
  return pageWithTotal(meta, store.publishedTotal(meta, filter), page)
}

export async function updateNotification(
  platform: Platform,
  actor: Actor,
  { id, ...changes }: UpdateNotification,
) {
  const { meta } = platform
  await getPublished(meta, id)
  const update = store.update(meta, id, changes, platform.now())
  const act: Act = {
    action: 'notification.update',
    subject: { type: 'notification', id },
    details: { changed: Object.keys(changes) },
  }
  const rows = await meta.batch([update, auditEntryIf(platform, actor, act, store.isThere(meta, id))])
  return rows.of(update)[0] ?? refuseUnknown()
}

/** Removes it from users' lists and counts; the administrator still sees it. */
export function archiveNotification(platform: Platform, actor: Actor, id: string) {
  const { meta, now } = platform
  return changeShown(platform, actor, id, (was) => {
    const event = { type: 'notification.archived', user_id: was.target_user_id, data: { id } } as const
    return {
      change: store.archive(meta, id, now()),
      act: { action: 'notification.archive', ...(was.archived_at === null && { event }) },
    }
  })
}

/** Undoes archiving: users see it again, at its old place, read by those who had read it. */
export function restoreNotification(platform: Platform, actor: Actor, id: string) {
  return changeShown(platform, actor, id, (was) => ({
    change: store.restore(platform.meta, id),
    act: {
      action: 'notification.restore',
      ...(was.archived_at !== null && { event: publishedEvent(was) }),
    },
  }))
}

interface Shown {
  readonly change: Compilable<NotificationsTable>
  readonly act: Pick<Act, 'action' | 'event'>
}

/** There is an event only if users see a difference, so it begins again if another change has come in between. */
function changeShown(
  platform: Platform,
  actor: Actor,
  id: string,
  changed: (was: NotificationsTable) => Shown,
) {
  const { meta } = platform
  return untilNotOvertaken(meta, async () => {
    const was = await getPublished(meta, id)
    const { change, act } = changed(was)
    const guard = store.whileAsRead(
      meta,
      was,
      (cause) => new Overtaken('the notification was changed before the batch', { cause }),
    )
    const subject = { type: 'notification', id } as const
    const entry = auditEntryIf(platform, actor, { ...act, subject }, store.isThere(meta, id))
    const rows = await batchBehind(meta, guard, [change, entry])
    return rows.of(change)[0] ?? refuseUnknown()
  })
}

function publishedEvent({ id, type, title, target_user_id: user_id }: NotificationsTable): NewEvent {
  return { type: 'notification.published', user_id, data: { id, type, title } }
}

async function getPublished(meta: Meta, id: string) {
  return (await store.find(meta, id)) ?? refuseUnknown()
}

function refuseUnknown(): never {
  throw new Refusal('NOT_FOUND', 'There is no such notification.')
}
