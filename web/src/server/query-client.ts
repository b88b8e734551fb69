import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'
import { clientConfigQuery, sessionQuery } from './session.ts'

export const gateKey = ['gate']
export const factorKey = ['factor']
export const addressKey = ['address']

const isRefused = (error: Error, code: string) => error instanceof ApiError && error.code === code

/** Any response can reveal that the session has ended or that its user is restricted; the pages react at once. */
export function createQueryClient(): QueryClient {
  const notice = (error: Error) => {
    if (isRefused(error, 'UNAUTHORIZED')) queryClient.setQueryData(sessionQuery.queryKey, null)
    if (isRefused(error, 'BETA_CODE_REQUIRED')) queryClient.setQueryData(gateKey, 'closed')
    if (isRefused(error, 'EMAIL_NOT_VERIFIED')) {
      queryClient.setQueryData(addressKey, 'unverified')
      void queryClient.invalidateQueries({ queryKey: clientConfigQuery.queryKey })
    }
    if (isRefused(error, 'SECOND_FACTOR_REQUIRED')) queryClient.setQueryData(factorKey, 'missing')
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
