import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
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

export function useSignOut() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      queryClient.clear()
      queryClient.setQueryData(sessionQuery.queryKey, null)
    },
  })
}

/** After signing in: nothing of whoever was here before is kept, then the pages open. */
export function useEnter() {
  const queryClient = useQueryClient()
  return async () => {
    queryClient.removeQueries({
      predicate: ({ queryKey }) => queryKey[0] !== 'client-config' && queryKey[0] !== 'session',
    })
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  }
}
