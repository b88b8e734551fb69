import {
  type QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { get } from './api.ts'
import { getSession, type SignedIn, signOut } from './auth.ts'
import type { ClientConfig } from './wire.ts'

export const sessionQuery = { queryKey: ['session'], queryFn: getSession, staleTime: 60_000 }

export const clientConfigQuery = {
  queryKey: ['client-config'],
  queryFn: () => get<ClientConfig>('/api/client_config'),
  staleTime: 60_000,
}

export const useClientConfig = (): ClientConfig => useSuspenseQuery(clientConfigQuery).data

export const useSession = () => useQuery(sessionQuery)

/** Only below `SignedInPages`, which lets nobody else through. */
export function useSignedIn(): SignedIn {
  const { data } = useSession()
  if (!data) throw new Error('nobody is signed in')
  return data
}

/** Everything that belongs to a person, but for who that is. */
function forget(queryClient: QueryClient) {
  const kept = [sessionQuery.queryKey[0], clientConfigQuery.queryKey[0]]
  queryClient.removeQueries({ predicate: ({ queryKey }) => !kept.includes(String(queryKey[0])) })
}

/** Once nobody is signed in here any more. */
export function useLeave() {
  const queryClient = useQueryClient()
  return () => {
    queryClient.setQueryData(sessionQuery.queryKey, null)
    forget(queryClient)
  }
}

export function useSignOut() {
  const leave = useLeave()
  return useMutation({ mutationFn: signOut, onSuccess: leave })
}

/** After signing in: nothing of whoever was here before is kept, then the pages open. */
export function useEnter() {
  const queryClient = useQueryClient()
  return async () => {
    forget(queryClient)
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  }
}
