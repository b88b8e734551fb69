import { listAccounts } from '../../auth.ts'

export const accountsQuery = { queryKey: ['accounts'], queryFn: listAccounts }
