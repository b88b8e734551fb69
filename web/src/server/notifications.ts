import { keepPreviousData } from '@tanstack/react-query'
import { filtersOf } from '../routing/filters.ts'
import { call, type Output } from './api.ts'

export type Notification = Output<'/api/list_notifications'>['items'][number]

export const notificationsKey = ['notifications']

export const unreadQuery = {
  queryKey: [...notificationsKey, 'unread-count'],
  queryFn: () => call('/api/count_unread_notifications', {}),
}

const latestCount = 3

export const latestQuery = {
  queryKey: [...notificationsKey, 'latest'],
  queryFn: () => call('/api/list_notifications', { page_size: latestCount }),
}

export const creditsQuery = { queryKey: ['credits'], queryFn: () => call('/api/get_credit_summary', {}) }

const readOf = { all: {}, unread: { read: false }, read: { read: true } } as const
export type Show = keyof typeof readOf
const isShow = (value: string | undefined): value is Show => value !== undefined && Object.hasOwn(readOf, value)

export const notificationsPageSize = 10

/** `?show=` and `?page=` select what is shown, so that a view can be bookmarked or shared. */
export function shownNotifications(search: URLSearchParams) {
  const { values, page } = filtersOf(search, ['show'])
  const show = isShow(values.show) ? values.show : 'all'
  return { show, page }
}

export function notificationsQuery({ show, page }: { readonly show: Show; readonly page: number }) {
  return {
    queryKey: [...notificationsKey, 'list', show, page],
    queryFn: () => call('/api/list_notifications', { ...readOf[show], page, page_size: notificationsPageSize }),
    placeholderData: keepPreviousData,
  }
}
