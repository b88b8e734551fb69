import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { Link } from '../../../rules/link.ts'
import { nameOf, textOf } from '../../../rules/names.ts'
import { CreatedRange, InOrder, listOf, Page } from '../../../rules/paging.ts'

const Type = nameOf(64)
const Title = nameOf(200)
const Content = textOf(10_000)

const Level = z.enum(['info', 'success', 'warning'])

export const CreateNotification = z.object({
  type: Type.default('system'),
  title: Title,
  content: Content,
  target_user_id: Id.nullable().default(null),
  link: Link.nullable().default(null),
  level: Level.default('info'),
  /** Also sent to the users' verified addresses, as each user prefers. */
  also_email: z.boolean().default(false),
})
export type CreateNotification = z.output<typeof CreateNotification>

export const UpdateNotification = z.object({
  id: Id,
  type: Type.optional(),
  title: Title.optional(),
  content: Content.optional(),
  link: Link.nullable().optional(),
  level: Level.optional(),
})
export type UpdateNotification = z.output<typeof UpdateNotification>

export const OneNotification = z.object({ id: Id })
export const Count = z.object({ count: z.int().min(0) })

export const ListNotifications = z.object({
  type: z.string().optional(),
  ...CreatedRange.shape,
  read: z.boolean().optional(),
  ...Page.shape,
})
export type ListNotifications = z.output<typeof ListNotifications>

export const ListAllNotifications = z.object({
  type: z.string().optional(),
  target_user_id: Id.nullable().optional(),
  archived: z.boolean().optional(),
  ...InOrder.shape,
  ...CreatedRange.shape,
  ...Page.shape,
})
export type ListAllNotifications = z.output<typeof ListAllNotifications>

export const Notification = z.object({
  id: z.string(),
  type: z.string(),
  title: z.string(),
  content: z.string(),
  link: z.string().nullable(),
  level: Level,
  read: z.boolean(),
  created_at: z.int(),
})
export const Notifications = listOf(Notification)

/** The administrator's view. */
export const PublishedNotification = Notification.omit({ read: true }).extend({
  target_user_id: z.string().nullable(),
  also_email: z.boolean(),
  updated_at: z.int(),
  archived_at: z.int().nullable(),
})
export const PublishedNotifications = listOf(PublishedNotification)

export const PREFERENCES_AT_MOST = 100

const Preference = z.object({ type: Type, email: z.enum(['off', 'each', 'daily']) })
export const UpdatePreferences = z.object({ items: z.array(Preference).max(PREFERENCES_AT_MOST) })
export type UpdatePreferences = z.output<typeof UpdatePreferences>
export const Preferences = z.object({ items: z.array(Preference) })

export const Unsubscribe = z.object({ token: z.string().min(1).max(8_192) })
