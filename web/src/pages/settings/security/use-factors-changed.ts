import { useQueryClient } from '@tanstack/react-query'
import { factorKey } from '../../../server/query-client.ts'
import { sessionQuery } from '../../../server/session.ts'

/** After a factor was added or removed: refetches everything, because what the user is allowed to see can have changed. */
export function useFactorsChanged() {
  const queryClient = useQueryClient()
  return async () => {
    queryClient.setQueryData(factorKey, 'there')
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
    await queryClient.invalidateQueries()
  }
}
