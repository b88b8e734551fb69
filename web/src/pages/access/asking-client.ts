import { skipToken, useQuery } from '@tanstack/react-query'
import { useClientName } from '../../client-name.ts'
import { call } from '../../server/api.ts'

type Asked = Readonly<Record<string, string | undefined>>

export function clientQuery({ client_id, redirect_uri }: Asked) {
  return {
    queryKey: ['asking client', client_id, redirect_uri],
    queryFn: () => call('/api/oauth/describe_client', { client_id, redirect_uri }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  }
}

/** The authorization request in an address that leads back to this path; empty for every other path. */
export function requestIn(path: string): URLSearchParams {
  const { pathname, searchParams } = new URL(path, location.origin)
  return pathname === '/oauth/authorize' ? searchParams : new URLSearchParams()
}

/** The application that the user signs in for, once it is known. */
export function useAskingClient(path: string): string | undefined {
  const request = requestIn(path)
  const asked = Object.fromEntries(request)
  const query = clientQuery(asked)
  const { data } = useQuery({ ...query, queryFn: request.has('client_id') ? query.queryFn : skipToken })
  const nameOf = useClientName()
  return data && data.kind !== 'tool' ? nameOf(data) : undefined
}
