import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { keepDraftsOf } from '../forms/draft.ts'
import { get } from './api.ts'
import type { SignedIn } from './auth.ts'
import { applyBrand, type ClientConfig } from './brand.ts'

export const sessionQuery = {
  queryKey: ['session'],
  queryFn: async () => {
    const signedIn = await get('/api/auth/get-session')
    if (signedIn) keepDraftsOf(signedIn.user.id)
    return signedIn
  },
  staleTime: 60_000,
}

export const clientConfigQuery = {
  queryKey: ['client-config'],
  queryFn: async () => {
    const config = await get('/api/client_config')
    applyBrand(config)
    return config
  },
  staleTime: 60_000,
}

export const useClientConfig = (): ClientConfig => useSuspenseQuery(clientConfigQuery).data

export const useSession = () => useQuery(sessionQuery)

/** Works below `SignedInPages` only, which lets signed-in users through. */
export function useSignedIn(): SignedIn {
  const { data } = useSession()
  if (!data) throw new Error('nobody is signed in')
  return data
}

/** Runs after signing in: drops everything of the previous user, then opens the pages. */
export function useEnter() {
  const queryClient = useQueryClient()
  const kept = [sessionQuery.queryKey[0], clientConfigQuery.queryKey[0]]
  return async () => {
    queryClient.removeQueries({ predicate: ({ queryKey }) => !kept.includes(String(queryKey[0])) })
    // A request from before the sign-in would return that nobody is signed in.
    await queryClient.cancelQueries({ queryKey: sessionQuery.queryKey })
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  }
}
