import { useTexts } from '../texts/texts.tsx'
import { say } from '../toasts.ts'
import { wordsOf } from '../ui/messages/failure.tsx'
import { useAct } from './act.ts'
import { call, get } from './api.ts'
import type { SignedIn } from './auth.ts'

/** The accounts that are signed in in this browser, the active one first. */
export const heldAccountsQuery = {
  queryKey: ['held-accounts'],
  queryFn: (): Promise<readonly SignedIn[]> => get('/api/auth/multi-session/list-device-sessions'),
  staleTime: 0,
}

export const switchTo = ({ session }: SignedIn) =>
  call('/api/auth/multi-session/set-active', { sessionToken: session.token })

/** A full page load leaves nothing of the former user in memory. */
export function useSwitch(next: string) {
  const texts = useTexts()
  return useAct({
    act: switchTo,
    onDone: () => location.assign(next),
    onFailed: (error) => say(wordsOf(texts, error), { isFailure: true }),
  })
}

/** Signs one account out here. If it was the active one, the next becomes active. */
export function useLeave() {
  const texts = useTexts()
  return useAct({
    act: ({ session }: SignedIn) => call('/api/auth/multi-session/revoke', { sessionToken: session.token }),
    onDone: () => location.assign('/'),
    onFailed: (error) => say(wordsOf(texts, error), { isFailure: true }),
  })
}

/** The page that signs in one more account, and then goes to this path. */
export const addPage = (next: string, more: Readonly<Record<string, string>> = {}) =>
  `/sign-in?${new URLSearchParams({ add: '', ...more, ...(next !== '/' && { next }) })}`
