import { call } from '../../api.ts'

export const grantsQuery = { queryKey: ['grants'], queryFn: () => call('/api/list_grants', {}) }
