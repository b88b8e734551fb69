import { allPages } from '../../all-pages.ts'
import { call, type Output } from '../../api.ts'

export type Grant = Output<'/api/list_grants'>['items'][number]

const pageSize = 100

/** All of them, so that what is active can be counted and shown first. */
export const grantsQuery = {
  queryKey: ['grants'],
  queryFn: () => allPages<Grant>((page) => call('/api/list_grants', { page, page_size: pageSize })),
}
