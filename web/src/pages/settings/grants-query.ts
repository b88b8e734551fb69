import { call, type Output } from '../../api.ts'

export type Grant = Output<'/api/list_grants'>['items'][number]

export const grantsQuery = { queryKey: ['grants'], queryFn: () => call('/api/list_grants', {}) }
