import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { Link } from '../../../rules/link.ts'
import { nameOf, textOf } from '../../../rules/names.ts'
import { CreatedRange, InOrder, listOf, Moment, Page } from '../../../rules/paging.ts'
import { Audience } from '../../people/users/input.ts'

const Type = nameOf(64)
const Title = nameOf(200)
const Content = textOf(10_000)

const Facts = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

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
  /** When users see it: a time to come. Null for now. */
  publish_at: Moment.nullable().default(null),
  /** The people of a list of users when it is published, by the filters of `list_users`. Null for everyone. */
  audience: Audience.nullable().default(null),
})
export type CreateNotification = z.output<typeof CreateNotification>

export const UpdateNotification = z.object({
  id: Id,
  type: Type.optional(),
  title: Title.optional(),
  content: Content.optional(),
  link: Link.nullable().optional(),
  level: Level.optional(),
  /** Another time for one that waits. */
  publish_at: Moment.optional(),
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
  /** `message` is shown as somebody wrote it; title and content of the others are in the reader's language. */
  kind: z.enum(['message', 'approval', 'reply']),
  /** The facts of the kind, for programs that word or draw it themselves. */
  data: Facts,
  title: z.string(),
  content: z.string(),
  link: z.string().nullable(),
  level: Level,
  read: z.boolean(),
  created_at: z.int(),
})
export const Notifications = listOf(Notification)

/** The administrator's view. */
export const PublishedNotification = Notification.omit({ read: true, kind: true, data: true }).extend({
  target_user_id: z.string().nullable(),
  also_email: z.boolean(),
  /** When users will see it; null for one that they can see. */
  publish_at: z.int().nullable(),
  audience: Audience.nullable(),
  /** The people of the audience who have it so far. */
  reached: z.int().nullable(),
  updated_at: z.int(),
  archived_at: z.int().nullable(),
})
export const PublishedNotifications = listOf(PublishedNotification)

/** Whom a notification would reach; the type decides who wants letters about it. */
export const CountAudience = z.object({
  target_user_id: Id.nullable().default(null),
  audience: Audience.nullable().default(null),
  type: Type.default('system'),
})
export type CountAudience = z.output<typeof CountAudience>
export const Reach = z.object({ people: z.int().min(0), by_email: z.int().min(0) })

export const PREFERENCES_AT_MOST = 100

const Preference = z.object({ type: Type, email: z.enum(['off', 'each', 'daily']) })
export const UpdatePreferences = z.object({ items: z.array(Preference).max(PREFERENCES_AT_MOST) })
export type UpdatePreferences = z.output<typeof UpdatePreferences>
export const Preferences = z.object({ items: z.array(Preference) })

export const Unsubscribe = z.object({ token: z.string().min(1).max(8_192) })
