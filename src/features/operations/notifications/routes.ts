import { redirect } from '../../../http/answers/answer.ts'
import { Done, Nothing } from '../../../http/requests/body.ts'
import { protectedRoute, publicRoute } from '../../../http/route.ts'
import { listPreferences, updatePreferences } from './announcements/preferences.ts'
import { unsubscribe } from './announcements/unsubscribing.ts'
import { countAudience } from './audience.ts'
import {
  Count,
  CountAudience,
  CreateNotification,
  ListAllNotifications,
  ListNotifications,
  Notifications,
  OneNotification,
  Preferences,
  PublishedNotification,
  PublishedNotifications,
  Reach,
  Unsubscribe,
  UpdateNotification,
  UpdatePreferences,
} from './input.ts'
import { countUnread, listNotifications, readAllNotifications, readNotification } from './notifications.ts'
import {
  archiveNotification,
  createNotification,
  listPublished,
  restoreNotification,
  updateNotification,
} from './publishing.ts'

export const notificationRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/list_notifications',
    summary: 'List the notifications for everyone and for the caller, newest first',
    scope: 'operations:notifications:read',
    input: ListNotifications,
    output: Notifications,
    handle: listNotifications,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/count_unread_notifications',
    summary: 'Count the notifications that the caller has not read',
    scope: 'operations:notifications:read',
    input: Nothing,
    output: Count,
    handle: async ({ platform, shard, caller }) => ({
      count: await countUnread(platform, shard, caller.user.id),
    }),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/read_notification',
    summary: 'Mark a notification as read',
    scope: 'operations:notifications:write',
    input: OneNotification,
    output: Done,
    limit: 'read-marks',
    handle: ({ shard, caller }, { id }) => readNotification(shard, caller.user.id, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/read_all_notifications',
    summary: 'Mark everything that the caller sees as read; returns how many were newly marked',
    scope: 'operations:notifications:write',
    input: Nothing,
    output: Count,
    handle: async ({ platform, shard, caller }) => ({
      count: await readAllNotifications(platform, shard, caller.user.id),
    }),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/get_notification_preferences',
    summary: 'Which notifications are also sent to the caller by email, by their type',
    scope: 'operations:notifications:read',
    input: Nothing,
    output: Preferences,
    handle: ({ platform, caller }) => listPreferences(platform.meta, caller.user.id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/update_notification_preferences',
    summary: 'Choose how notifications are sent by email; other types stay as they are',
    scope: 'operations:notifications:write',
    input: UpdatePreferences,
    output: Preferences,
    limit: 'preference-changes',
    handle: async ({ platform, caller }, input) => {
      await updatePreferences(platform, caller.user.id, input)
      return listPreferences(platform.meta.primary, caller.user.id)
    },
  }),
  publicRoute({
    method: 'POST',
    path: '/api/unsubscribe',
    summary: 'Unsubscribe from a kind of letter, with the link in one (RFC 8058)',
    body: 'ignored',
    input: Unsubscribe,
    output: Done,
    handle: ({ platform }, { token }) => unsubscribe(platform, token),
  }),
  publicRoute({
    method: 'GET',
    path: '/api/unsubscribe',
    summary: 'The page that asks before it unsubscribes',
    answer: 'redirect',
    input: Unsubscribe,
    output: Done,
    handle: async ({ platform }, { token }) =>
      redirect(`${platform.config.baseUrl}/unsubscribe?token=${encodeURIComponent(token)}`),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/create_notification',
    summary: 'Publish a notification for everyone, or for one user',
    scope: 'admin:notifications:write',
    input: CreateNotification,
    output: OneNotification,
    limit: 'notifications-published',
    idempotency: 'by key',
    handle: async (call, input) => ({ id: await createNotification(call, input, call.keyed) }),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/count_audience',
    summary: 'Count whom a notification would reach, and whom of them by email',
    scope: 'admin:users:read',
    input: CountAudience,
    output: Reach,
    handle: ({ platform }, input) => countAudience(platform, input),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_notifications',
    summary: 'List every published notification, newest first',
    scope: 'admin:notifications:read',
    input: ListAllNotifications,
    output: PublishedNotifications,
    handle: ({ platform }, filter) => listPublished(platform.meta, filter),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/update_notification',
    summary: 'Change the type, title or content of a notification',
    scope: 'admin:notifications:write',
    input: UpdateNotification,
    output: PublishedNotification,
    handle: (call, input) => updateNotification(call, input),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/archive_notification',
    summary: "Take a notification out of users' lists",
    scope: 'admin:notifications:write',
    input: OneNotification,
    output: PublishedNotification,
    handle: (call, { id }) => archiveNotification(call, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/restore_notification',
    summary: "Put an archived notification back into users' lists",
    scope: 'admin:notifications:write',
    input: OneNotification,
    output: PublishedNotification,
    handle: (call, { id }) => restoreNotification(call, id),
  }),
] as const
