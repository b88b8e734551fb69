import type { NotificationsTable } from '../../../database/schema/operations.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import type { ProtectedCall, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { given } from '../../../rules/given.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { newId } from '../../../rules/ids.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { holds, refuseColleague } from '../../../rules/staff.ts'
import { isMailAvailable } from '../../delivery/mail/sender.ts'
import { type Act, decide } from '../../ground/acts/acts.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { membership } from '../../people/users/statements.ts'
import { refuseForColleague, unknownUser } from '../../people/users/users.ts'
import { announce } from './announcements/store.ts'
import { refuseColleaguesAlone } from './audience.ts'
import type { CreateNotification, ListAllNotifications, UpdateNotification } from './input.ts'
import * as store from './publishing-store.ts'
import { REPLY_TITLES } from './wording.ts'

/** Publishes what is held. */
export const HELD_JOB = 'held-notifications'

export async function createNotification(
  call: ProtectedCall,
  input: CreateNotification,
  keyed?: KeyedRequest,
): Promise<string> {
  const { platform, caller } = call
  const { meta } = platform
  const id = newId()
  const now = platform.now()
  refuseUnseenPeople(call, input)
  if (input.also_email && !isMailAvailable(platform, await currentSettings(platform)))
    throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'Choose an email provider first.')
  const { type, title, target_user_id, also_email, publish_at } = input
  if (target_user_id !== null) await refuseForColleague(call, target_user_id)
  if (input.audience !== null) await refuseColleaguesAlone(call, input.audience)
  const row = rowOf(id, input, now)
  const details = {
    ...{ type, title, target_user_id },
    ...(also_email && { also_email: true }),
    ...(publish_at !== null && { publish_at }),
  }
  try {
    const created = await writeOnce<string>(meta, caller.user.id, keyed, now, (record) =>
      decide(call, [], async (act) => {
        if (publish_at !== null && publish_at <= now) throw invalidInput('publish_at', 'This time has passed.')
        const isMailedNow = also_email && row.held === null
        act.write(store.insert(meta, row), isMailedNow ? announce(meta, id) : undefined, record(id))
        const event = row.held === null ? 'notification.published' : undefined
        act.record('notification.create', { ...factsOf(row), subject: { type: 'notification', id }, details, event })
        return id
      }),
    )
    if (row.held === 'audience') platform.background.wake(HELD_JOB)
    return created
  } catch (error) {
    if (!(error instanceof ConstraintViolation) || error.kind !== 'foreign-key') throw error
    throw invalidInput('target_user_id', unknownUser().message)
  }
}

/** A program could find out about users by their number, so it must be allowed to see them. */
function refuseUnseenPeople({ caller }: ProtectedCall, { audience, target_user_id }: CreateNotification): void {
  if (audience === null) return
  if (target_user_id !== null) throw invalidInput('audience', 'Either one user or an audience.')
  const { user, credential } = caller
  if (!holds(user, 'admin:users:read'))
    throw new Refusal('FORBIDDEN', 'An audience needs admin:users:read. Ask the administrator for it.')
  if (credential.kind === 'grant' && !credential.scopes.includes('admin:users:read'))
    throw new Refusal('INSUFFICIENT_SCOPE', 'An audience needs the scope admin:users:read.')
}

function rowOf(id: string, { also_email, ...input }: CreateNotification, now: number): NotificationsTable {
  const audience = input.audience === null ? null : JSON.stringify(input.audience)
  const row = { id, ...input, audience, also_email: also_email ? 1 : 0, kind: null, data: null } as const
  return { ...row, reached: null, parent_id: null, ...standing(row, now), created_at: now, updated_at: now }
}

/** Tells the sender of a feedback; the shard's decision has made the audit entry. */
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
    kind: 'reply',
    data: null,
  })
}

type Told = Pick<NotificationsTable, 'id' | 'type' | 'title' | 'content' | 'link' | 'kind' | 'data'>

/**
 * Tells the user about an act that is not the administrator's, so the audit log has no entry. Title and content are
 * for programs of before, which know no kinds; they are in the operator's first language.
 */
export function notify(act: Act, { meta, now }: Platform, userId: string, { id, kind, data, ...told }: Told): void {
  const plain = { level: 'info', also_email: false, publish_at: null, audience: null } as const
  const input = { ...told, ...plain, target_user_id: userId }
  const row = { ...rowOf(id, input, now()), kind, data }
  act.write(store.insert(meta, row))
  act.record('notification.published', factsOf(row))
}

/** Every notification, for everyone or for one user, including archived ones. */
export async function listPublished(meta: Meta, filter: ListAllNotifications) {
  const page = store.publishedPage(meta, filter, sliceOf(filter))
  const { items, total } = await pageWithTotal(meta, store.publishedTotal(meta, filter), page)
  return { items: items.map(wireNotification), total }
}

function wireNotification(row: NotificationsTable) {
  const { id, type, title, content, link, level, target_user_id, created_at, updated_at, publish_at, reached } = row
  return {
    ...{ id, type, title, content, link, level, target_user_id, created_at, updated_at, publish_at, reached },
    audience: row.audience === null ? null : JSON.parse(row.audience),
    also_email: row.also_email === 1,
    archived_at: archivedAt(row),
  }
}

export function updateNotification(call: SignedInCall, { id, ...changes }: UpdateNotification) {
  const { now } = call.platform
  return change(call, id, (act, was, subject) => {
    const { publish_at } = changes
    if (publish_at !== undefined) refuseOtherTime(was, publish_at, now())
    act.record('notification.update', { subject, details: { changed: Object.keys(changes) } })
    return { ...given(changes), updated_at: now() }
  })
}

function refuseOtherTime({ held }: NotificationsTable, publish_at: number, now: number): void {
  if (held !== 'until') throw invalidInput('publish_at', 'This notification does not wait for a time.')
  if (publish_at <= now) throw invalidInput('publish_at', 'This time has passed.')
}

/** Removes it from users' lists and counts; the administrator still sees it. Keeps the time of the first archiving. */
export function archiveNotification(call: SignedInCall, id: string) {
  const { now } = call.platform
  return change(call, id, (act, was, subject) => {
    // Users see a difference only the first time.
    const isSeen = was.held !== 'until' && archivedAt(was) === null
    const event = isSeen ? 'notification.archived' : undefined
    act.record('notification.archive', { ...factsOf(was), subject, event, data: { id } })
    return { held: null, archived_at: archivedAt(was) ?? now(), after_user_id: null }
  })
}

/** Undoes archiving: users see it again, at its old place, read by those who had read it. */
export function restoreNotification(call: SignedInCall, id: string) {
  const { now } = call.platform
  return change(call, id, (act, was, subject) => {
    const isArchived = archivedAt(was) !== null
    const columns = isArchived ? standing(was, now()) : { archived_at: was.archived_at, held: was.held }
    const event = isArchived && columns.held === null ? 'notification.published' : undefined
    act.record('notification.restore', { ...factsOf(was), subject, event, details: {} })
    return columns
  })
}

interface About {
  readonly type: 'notification'
  readonly id: string
}

function change(
  call: SignedInCall,
  id: string,
  recorded: (act: Act, was: NotificationsTable, subject: About) => Partial<NotificationsTable>,
) {
  const { meta } = call.platform
  return decide(call, [store.lockedNotification(meta, id)], async (act, [was]) => {
    if (!was) throw new Refusal('NOT_FOUND', 'This notification does not exist.')
    const reader = was.target_user_id === null ? undefined : await act.first(membership(meta, was.target_user_id))
    if (reader) refuseColleague(call.caller.user, reader)
    const columns = recorded(act, was, { type: 'notification', id })
    act.write(store.update(meta, id, columns), ...store.updateRowsOf(meta, was, columns))
    return wireNotification({ ...was, ...columns })
  })
}

/** The data of the event. */
export function factsOf({ id, type, title, target_user_id: target }: NotificationsTable) {
  return { user: target === null ? undefined : { id: target }, data: { id, type, title } }
}

type Row = NotificationsTable
type Columns = Pick<Row, 'held' | 'archived_at' | 'after_user_id'>

/** Not visible to anyone: it waits for its time, or its people have rows of their own. */
const hidden = (held: NonNullable<Row['held']>, now: number): Columns => ({
  held,
  archived_at: now,
  after_user_id: held === 'audience' ? '' : null,
})

/** The columns of a notification that nobody has archived. */
function standing({ publish_at, audience }: Pick<Row, 'publish_at' | 'audience'>, now: number): Columns {
  if (publish_at !== null && publish_at > now) return hidden('until', now)
  return audience === null ? { held: null, archived_at: null, after_user_id: null } : hidden('audience', now)
}

/** The columns once its time has come: it is as new as everything that is published now. */
export function whenDue(row: Row, now: number): Columns & Pick<Row, 'publish_at' | 'created_at'> {
  return { ...standing({ ...row, publish_at: null }, now), publish_at: null, created_at: now }
}

/** Archived by the administrator, for whom the storage's reasons to hide a row are none. */
function archivedAt({ held, archived_at }: Row): number | null {
  return held === null ? archived_at : null
}
