import { keepPreviousData } from '@tanstack/react-query'
import type { Filtered } from '../../routing/filters.ts'
import { call, type Input, type Output } from '../../server/api.ts'

export const pageSizes = {
  feedback: 20,
  notifications: 20,
  users: 20,
  codes: 20,
  applications: 20,
  audit: 50,
  deliveries: 20,
} as const

export const consoleKeys = {
  overview: ['console', 'overview'],
  feedback: ['console', 'feedback'],
  notifications: ['console', 'notifications'],
  users: ['console', 'users'],
  codes: ['console', 'beta-codes'],
  applications: ['console', 'applications'],
  productScopes: ['console', 'product-scopes'],
  shards: ['console', 'shards'],
  audit: ['console', 'audit'],
  webhooks: ['console', 'webhooks'],
} as const

export const filterNames = {
  feedback: ['status', 'type', 'search', 'user_id'],
  notifications: ['archived'],
  users: ['search'],
  codes: ['search', 'used'],
  audit: ['action', 'actor_id', 'subject_id'],
} as const

type FiltersOf<List extends keyof typeof filterNames> = Filtered<(typeof filterNames)[List][number]>

export const overviewQuery = {
  queryKey: consoleKeys.overview,
  queryFn: () => call('/api/admin/get_overview', {}),
}

export const shardsQuery = { queryKey: consoleKeys.shards, queryFn: () => call('/api/admin/list_shards', {}) }

export const webhooksQuery = {
  queryKey: [...consoleKeys.webhooks, 'list'],
  queryFn: () => call('/api/admin/list_webhooks', {}),
}

export function deliveriesQuery(webhook_id: string, page: number) {
  return {
    queryKey: [...consoleKeys.webhooks, 'deliveries', webhook_id, page],
    queryFn: () =>
      call('/api/admin/list_webhook_deliveries', { webhook_id, page, page_size: pageSizes.deliveries }),
    placeholderData: keepPreviousData,
  }
}

export const feedbackStatuses = ['new', 'in_progress', 'done'] as const

/** A status that does not exist filters nothing. */
export function feedbackFilterOf({ values }: FiltersOf<'feedback'>) {
  const { status: asked, ...others } = values
  const status = feedbackStatuses.find((known) => known === asked)
  return { ...others, ...(status && { status }) }
}

export function feedbackQuery(filters: FiltersOf<'feedback'>) {
  const filter = feedbackFilterOf(filters)
  return pageOf(consoleKeys.feedback, filter, filters.page, () =>
    call('/api/admin/list_feedbacks', { ...filter, page: filters.page, page_size: pageSizes.feedback }),
  )
}

export function publishedQuery({ values, page }: FiltersOf<'notifications'>) {
  const filter = { archived: values.archived === 'yes' }
  return pageOf(consoleKeys.notifications, filter, page, () =>
    call('/api/admin/list_notifications', { ...filter, page, page_size: pageSizes.notifications }),
  )
}

export function usersQuery({ values, page }: FiltersOf<'users'>) {
  return pageOf(consoleKeys.users, values, page, () =>
    call('/api/admin/list_users', { ...values, page, page_size: pageSizes.users }),
  )
}

export const codeUses = ['yes', 'no'] as const

export function codesQuery({ values, page }: FiltersOf<'codes'>) {
  const used = codeUses.find((known) => known === values.used)
  const filter = { ...(values.search && { search: values.search }), ...(used && { used: used === 'yes' }) }
  return pageOf(consoleKeys.codes, filter, page, () =>
    call('/api/admin/list_beta_codes', { ...filter, page, page_size: pageSizes.codes }),
  )
}

export function applicationsQuery(page: number) {
  return pageOf(consoleKeys.applications, {}, page, () =>
    call('/api/admin/list_applications', { page, page_size: pageSizes.applications }),
  )
}

export const productScopesQuery = {
  queryKey: consoleKeys.productScopes,
  queryFn: () => call('/api/admin/list_product_scopes', {}),
}

export function auditQuery({ values, page }: FiltersOf<'audit'>) {
  return pageOf(consoleKeys.audit, values, page, () =>
    call('/api/admin/list_audit_entries', { ...values, page, page_size: pageSizes.audit }),
  )
}

export const userQuery = (id: string) => ({
  queryKey: ['console', 'user', id],
  queryFn: () => call('/api/admin/get_user', { id }),
})

export type Part = 'authentication' | 'email' | 'credits' | 'ai' | 'brand'
type DocumentOf<P extends Part> = Output<`/api/admin/get_${P}_config`>
export type UpdateOf<P extends Part> = Input<`/api/admin/update_${P}_config`>

export const partQuery = <P extends Part>(part: P) => ({
  queryKey: ['config', part],
  queryFn: (): Promise<DocumentOf<P>> => call(`/api/admin/get_${part}_config` as const, {}),
})

/** The rows before stay until the next ones are there. */
function pageOf<Data>(key: readonly string[], filter: object, page: number, queryFn: () => Promise<Data>) {
  return { queryKey: [...key, filter, page], queryFn, placeholderData: keepPreviousData }
}
