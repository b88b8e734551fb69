import { call, type Output } from './api.ts'

export type Notification = Output<'/api/list_notifications'>['items'][number]

export const notificationsKey = ['notifications']

export const unreadQuery = {
  queryKey: [...notificationsKey, 'unread-count'],
  queryFn: () => call('/api/count_unread_notifications', {}),
  refetchInterval: 60_000,
}
