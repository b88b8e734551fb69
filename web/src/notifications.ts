import { call } from './api.ts'

export const notificationsKey = ['notifications']

export const unreadQuery = {
  queryKey: [...notificationsKey, 'unread-count'],
  queryFn: () => call('/api/count_unread_notifications', {}),
  refetchInterval: 60_000,
}
