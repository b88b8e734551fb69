import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'
import type { SignedIn } from './auth.ts'
import { clientConfigQuery, isActing, sessionQuery } from './session.ts'

export const gateKey = ['gate']
export const factorKey = ['factor']
export const addressKey = ['address']

const isRefused = (error: Error, code: string) => error instanceof ApiError && error.code === code

/** Any response can reveal that the session has ended or that its user is restricted; the pages react at once. */
export function createQueryClient(): QueryClient {
  const notice = (error: Error) => {
    if (isRefused(error, 'UNAUTHORIZED')) endSession()
    if (isRefused(error, 'BETA_CODE_REQUIRED')) queryClient.setQueryData(gateKey, 'closed')
    if (isRefused(error, 'EMAIL_NOT_VERIFIED')) {
      queryClient.setQueryData(addressKey, 'unverified')
      void queryClient.invalidateQueries({ queryKey: clientConfigQuery.queryKey })
    }
    if (isRefused(error, 'SECOND_FACTOR_REQUIRED')) queryClient.setQueryData(factorKey, 'missing')
  }

  /** Somebody who acted as a user goes back to their own session. */
  const endSession = () => {
    const shown = queryClient.getQueryData<SignedIn | null>(sessionQuery.queryKey)
    if (shown && isActing(shown)) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
    else queryClient.setQueryData(sessionQuery.queryKey, null)
  }

  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError: notice }),
    mutationCache: new MutationCache({ onError: notice }),
    defaultOptions: {
      queries: { retry: (_, error) => isRefused(error, 'NETWORK'), staleTime: 5_000 },
      // An action fails at once without a connection, so that the user decides whether to repeat it.
      mutations: { networkMode: 'always' },
    },
  })
  return queryClient
}
