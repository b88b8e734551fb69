import { useQueryClient } from '@tanstack/react-query'
import { factorKey } from '../../../server/query-client.ts'
import { sessionQuery } from '../../../server/session.ts'

/** Refetches everything after a factor was added or removed, because the user can now do more, or less. */
export function useFactorsChanged() {
  const queryClient = useQueryClient()
  return async () => {
    queryClient.setQueryData(factorKey, 'there')
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
    await queryClient.invalidateQueries()
  }
}
