import type { NotificationsTable } from '../../../database/schema/operations.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { given } from '../../../rules/given.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { newId } from '../../../rules/ids.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { isMailAvailable } from '../../delivery/mail/sender.ts'
import { type Act, type Doer, decide } from '../../ground/acts/acts.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { unknownUser } from '../../people/users/users.ts'
import { announce } from './announcements/store.ts'
import type { CreateNotification, ListAllNotifications, UpdateNotification } from './input.ts'
import * as store from './publishing-store.ts'

export async function createNotification(
  call: ProtectedCall,
  input: CreateNotification,
  keyed?: KeyedRequest,
): Promise<string> {
  const { platform, caller } = call
  const { meta } = platform
  const id = newId()
  const now = platform.now()
  if (input.also_email && !isMailAvailable(platform, await currentSettings(platform)))
    throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'Choose an email provider first.')
  const { type, title, target_user_id, also_email } = input
  const row = rowOf(id, input, now)
  const details = { type, title, target_user_id, ...(also_email && { also_email: true }) }
  try {
    return await writeOnce(meta, caller.user.id, keyed, now, (record) =>
      decide(call, [], async (act) => {
        act.write(store.insert(meta, row), also_email ? announce(meta, id) : undefined, record(id))
        act.record('notification.create', { ...published(row), subject: { type: 'notification', id }, details })
        return id
      }),
    )
  } catch (error) {
    if (!(error instanceof ConstraintViolation) || error.kind !== 'foreign-key') throw error
    throw invalidInput('target_user_id', unknownUser().message)
  }
}

function rowOf(id: string, { also_email, ...input }: CreateNotification, now: number): NotificationsTable {
  const flag = also_email ? 1 : 0
  return { id, ...input, also_email: flag, created_at: now, updated_at: now, archived_at: null }
}

const REPLY_TITLES = { en: 'An answer to your feedback', zh: '您的反馈已有回复' } as const

/** Tells the sender of a feedback, in the operator's first language; the shard's decision has made the audit entry. */
export function sendReply(
  act: Act,
  platform: Platform,
  userId: string,
  { text, language }: { readonly text: string; readonly language: Language },
): void {
  notify(act, platform, userId, {
    id: newId(),
    type: 'reply',
    title: REPLY_TITLES[language],
    content: text,
    link: null,
  })
}

/** Tells the user about an act that is not the administrator's, so the audit log has no entry. */
export function notify(
  act: Act,
  { meta, now }: Platform,
  userId: string,
  { id, ...told }: Pick<CreateNotification, 'type' | 'title' | 'content' | 'link'> & { readonly id: string },
): void {
  const row = rowOf(id, { ...told, target_user_id: userId, level: 'info', also_email: false }, now())
  act.write(store.insert(meta, row))
  act.record('notification.published', published(row))
}

/** Every notification, for everyone or for one user, including archived ones. */
export async function listPublished(meta: Meta, filter: ListAllNotifications) {
  const page = store.publishedPage(meta, filter, sliceOf(filter))
  const { items, total } = await pageWithTotal(meta, store.publishedTotal(meta, filter), page)
  return { items: items.map(wireNotification), total }
}

function wireNotification({ also_email, ...row }: NotificationsTable) {
  return { ...row, also_email: also_email === 1 }
}

export function updateNotification(doer: Doer, { id, ...changes }: UpdateNotification) {
  const { now } = doer.platform
  return change(doer, id, (act, _, subject) => {
    act.record('notification.update', { subject, details: { changed: Object.keys(changes) } })
    return { ...given(changes), updated_at: now() }
  })
}

/** Removes it from users' lists and counts; the administrator still sees it. Keeps the time of the first archiving. */
export function archiveNotification(doer: Doer, id: string) {
  const { now } = doer.platform
  return change(doer, id, (act, was, subject) => {
    // Users see a difference only the first time.
    const event = was.archived_at === null ? 'notification.archived' : undefined
    act.record('notification.archive', { ...published(was), subject, event, data: { id } })
    return { archived_at: was.archived_at ?? now() }
  })
}

/** Undoes archiving: users see it again, at its old place, read by those who had read it. */
export function restoreNotification(doer: Doer, id: string) {
  return change(doer, id, (act, was, subject) => {
    const event = was.archived_at === null ? undefined : 'notification.published'
    act.record('notification.restore', { ...published(was), subject, event, details: {} })
    return { archived_at: null }
  })
}

interface About {
  readonly type: 'notification'
  readonly id: string
}

function change(
  doer: Doer,
  id: string,
  recorded: (act: Act, was: NotificationsTable, subject: About) => Partial<NotificationsTable>,
) {
  const { meta } = doer.platform
  return decide(doer, [store.lockedNotification(meta, id)], async (act, [was]) => {
    if (!was) throw new Refusal('NOT_FOUND', 'This notification does not exist.')
    const columns = recorded(act, was, { type: 'notification', id })
    act.write(store.update(meta, id, columns))
    return wireNotification({ ...was, ...columns })
  })
}

/** The data of the event. */
function published({ id, type, title, target_user_id: target }: NotificationsTable) {
  return { user: target === null ? undefined : { id: target }, data: { id, type, title } }
}
