import type { Compilable } from 'kysely'
import { v7 as newId } from 'uuid'
import type { NotificationsTable } from '../../../database/schema/operations.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { given } from '../../../rules/given.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { isMailAvailable } from '../../delivery/mail/sender.ts'
import { type Actor, auditEntry, type NewEntry } from '../../ground/audit/audit.ts'
import { eventRow, insertEvent, type NewEvent } from '../../ground/events/statements.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { announce } from './announcements/store.ts'
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
  if (input.also_email && !isMailAvailable(platform, await currentSettings(platform)))
    throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'Choose an email provider first.')
  const row = rowOf(id, input, now)
  const act: NewEntry = {
    action: 'notification.create',
    subject: { type: 'notification', id },
    details: {
      type: input.type,
      title: input.title,
      target_user_id: input.target_user_id,
      ...(input.also_email && { also_email: true }),
    },
    event: publishedEvent(row),
  }
  try {
    return await writeOnce(meta, actor.id ?? '', keyed, now, async (record) => {
      const letters = input.also_email ? [announce(meta, id)] : []
      await meta.batch([store.insert(meta, row), ...letters, auditEntry(platform, actor, act), ...record(id)])
      return id
    })
  } catch (error) {
    if (!(error instanceof ConstraintViolation) || error.kind !== 'foreign-key') throw error
    throw invalidInput('target_user_id', 'This user does not exist.')
  }
}

function rowOf(id: string, { also_email, ...input }: CreateNotification, now: number): NotificationsTable {
  const flag = also_email ? 1 : 0
  return { id, ...input, also_email: flag, created_at: now, updated_at: now, archived_at: null }
}

const REPLY_TITLES = { en: 'An answer to your feedback', zh: '您的反馈已有回复' } as const

/** Tells the sender of a feedback, in the operator's first language; the caller has written the audit entry. */
export async function sendReply(
  platform: Platform,
  userId: string,
  { text, language }: { readonly text: string; readonly language: Language },
  beside: readonly Compilable<unknown>[],
): Promise<void> {
  const reply = { id: newId(), type: 'reply', title: REPLY_TITLES[language], content: text, link: null }
  await platform.meta.batch([...notificationTo(platform, userId, reply), ...beside])
}

/**
 * Goes into the batch of the act that the user is told about: it is not the administrator's act, so the audit log has
 * no entry.
 */
export function notificationTo(
  { meta, now }: Platform,
  userId: string,
  { id, ...told }: Pick<CreateNotification, 'type' | 'title' | 'content' | 'link'> & { readonly id: string },
) {
  const input = { ...told, target_user_id: userId }
  const row = rowOf(id, { ...input, level: 'info', also_email: false }, now())
  return [store.insert(meta, row), insertEvent(meta, eventRow(publishedEvent(row), now()))]
}

/** Every notification, for everyone or for one user, including archived ones. */
export async function listPublished(meta: Meta, filter: ListAllNotifications) {
  const page = store.publishedPage(meta, filter, sliceOf(filter))
  const { items, total } = await pageWithTotal(meta, store.publishedTotal(meta, filter), page)
  return { items: items.map(published), total }
}

function published({ also_email, ...row }: NotificationsTable) {
  return { ...row, also_email: also_email === 1 }
}

export async function updateNotification(platform: Platform, actor: Actor, { id, ...changes }: UpdateNotification) {
  return change(platform, actor, id, () => ({
    columns: { ...given(changes), updated_at: platform.now() },
    act: { action: 'notification.update', details: { changed: Object.keys(changes) } },
  }))
}

/** Removes it from users' lists and counts; the administrator still sees it. Keeps the time of the first archiving. */
export function archiveNotification(platform: Platform, actor: Actor, id: string) {
  return change(platform, actor, id, ({ archived_at, target_user_id: user_id }) => ({
    columns: { archived_at: archived_at ?? platform.now() },
    act: {
      action: 'notification.archive',
      ...(archived_at === null && { event: { type: 'notification.archived', user_id, data: { id } } }),
    },
  }))
}

/** Undoes archiving: users see it again, at its old place, read by those who had read it. */
export function restoreNotification(platform: Platform, actor: Actor, id: string) {
  return change(platform, actor, id, (was) => ({
    columns: { archived_at: null },
    act: {
      action: 'notification.restore',
      ...(was.archived_at !== null && { event: publishedEvent(was) }),
    },
  }))
}

interface Changed {
  readonly columns: Partial<NotificationsTable>
  /** Makes an event only if users see a difference. */
  readonly act: Pick<NewEntry, 'action' | 'details' | 'event'>
}

function change(platform: Platform, actor: Actor, id: string, changeOf: (was: NotificationsTable) => Changed) {
  const { meta } = platform
  return meta.decide([store.held(meta, id)], async (decision, [was]) => {
    if (!was) throw new Refusal('NOT_FOUND', 'This notification does not exist.')
    const { columns, act } = changeOf(was)
    const subject = { type: 'notification', id } as const
    decision.write(store.update(meta, id, columns), auditEntry(platform, actor, { ...act, subject }))
    return published({ ...was, ...columns })
  })
}

function publishedEvent({ id, type, title, target_user_id: user_id }: NotificationsTable): NewEvent {
  return { type: 'notification.published', user_id, data: { id, type, title } }
}
