import { allPages } from '../../server/all-pages.ts'
import { call, get, type Output } from '../../server/api.ts'

export const accountsQuery = { queryKey: ['accounts'], queryFn: () => get('/api/auth/list-accounts') }
export const sessionsQuery = { queryKey: ['sessions'], queryFn: () => get('/api/auth/list-sessions') }

export type SecurityOverview = Output<'/api/auth/security-overview'>
export const securityQuery = { queryKey: ['security'], queryFn: () => get('/api/auth/security-overview') }

export type Grant = Output<'/api/list_grants'>['items'][number]

const grantsPageSize = 100

/** All of them, so that what is active can be counted and shown first. */
export const grantsQuery = {
  queryKey: ['grants'],
  queryFn: () => allPages<Grant>((page) => call('/api/list_grants', { page, page_size: grantsPageSize })),
}

/** The most that can wait at once. */
export const approvalsQuery = {
  queryKey: ['approvals'],
  queryFn: () => call('/api/list_approvals', { page_size: 50 }),
}

export const actsKey = ['grant-acts']

/** The newest. */
export const actsQuery = (id: string) => ({
  queryKey: [...actsKey, id],
  queryFn: () => call('/api/list_grant_acts', { id, page_size: 100 }),
})

export type PersonalToken = Output<'/api/list_personal_tokens'>['items'][number]

export const personalTokensQuery = {
  queryKey: ['personal-tokens'],
  queryFn: () =>
    allPages<PersonalToken>((page) => call('/api/list_personal_tokens', { page, page_size: grantsPageSize })),
}

export const preferencesQuery = {
  queryKey: ['preferences'],
  queryFn: () => call('/api/get_notification_preferences', {}),
}
