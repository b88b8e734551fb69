import { type QueryClient, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { keepDraftsOf } from '../forms/draft.ts'
import { useReturn } from '../routing/return-path.ts'
import { stopActing } from './acting.ts'
import { askAbout, get, isOtherAccount, showAccount } from './api.ts'
import type { SignedIn } from './auth.ts'
import type { ClientConfig } from './brand.ts'

export const sessionQuery = {
  queryKey: ['session'],
  queryFn: async ({ client }: { readonly client: QueryClient }): Promise<SignedIn | null> => {
    const signedIn = await get('/api/auth/get-session')
    const shown = client.getQueryData<SignedIn | null>(['session'])
    // Another window has switched: what was typed here stays until the user has decided.
    if (signedIn && shown && isOtherAccount(signedIn.user.id) && stays(client, shown, signedIn))
      return (await askAbout('OTHER_ACCOUNT')) ? sessionQuery.queryFn({ client }) : shown
    if (!signedIn && shown && isActing(shown)) await stopActing(shown.user.id)
    if (signedIn) keepDraftsOf(signedIn.user.id)
    showAccount(signedIn?.user.id)
    return signedIn
  },
  staleTime: 60_000,
}

export const clientConfigQuery = {
  queryKey: ['client-config'],
  queryFn: () => get('/api/client_config'),
  staleTime: 60_000,
}

/** An administrator who acts as a user leaves the other windows as they are, and comes back to them. */
const stays = (client: QueryClient, shown: SignedIn, signedIn: SignedIn) =>
  !isActing(shown) && (isActing(signedIn) || hasSeveral(client))

/** True if the settings let several accounts be signed in in one browser. */
const hasSeveral = (client: QueryClient) =>
  (client.getQueryData<ClientConfig>(clientConfigQuery.queryKey)?.accounts_per_browser ?? 1) > 1

/** True for the administrator's pages as a user. */
export const isActing = ({ session }: SignedIn) => session.impersonatedBy !== null

export const useHasSeveral = (): boolean => useClientConfig().accounts_per_browser > 1

export const useClientConfig = (): ClientConfig => useSuspenseQuery(clientConfigQuery).data

export const useSession = () => useQuery(sessionQuery)

/** The user whom `SignedInPages` let through. A page below it may be drawn between a sign-out and the next page. */
export const SignedInContext = createContext<SignedIn | undefined>(undefined)

export function useSignedIn(): SignedIn {
  const signedIn = use(SignedInContext)
  if (!signedIn) throw new Error('this is outside of SignedInPages')
  return signedIn
}

/** The page signs in one more account. */
export const isAdding = () => new URLSearchParams(location.search).has('add')

/** Runs after signing in: drops everything of the previous user, then opens the pages. */
export function useEnter() {
  const queryClient = useQueryClient()
  const { path } = useReturn()
  // An invitation belongs to its letter, and its page is still shown.
  const kept = [sessionQuery.queryKey[0], clientConfigQuery.queryKey[0], 'invitation']
  return async () => {
    if (isAdding()) return location.assign(path)
    showAccount(undefined)
    queryClient.removeQueries({ predicate: ({ queryKey }) => !kept.includes(String(queryKey[0])) })
    // A request from before the sign-in would return that nobody is signed in.
    await queryClient.cancelQueries({ queryKey: sessionQuery.queryKey })
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  }
}
