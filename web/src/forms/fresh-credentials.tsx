import { createContext, type ReactNode, use, useState } from 'react'
import type { Credentials } from '../server/auth.ts'

interface Fresh {
  readonly credentials: Credentials | undefined
  remember(credentials: Credentials | undefined): void
}

const FreshContext = createContext<Fresh>({ credentials: undefined, remember: () => undefined })

/**
 * The credentials a user has just chosen at sign-up, in memory only. A code never signs in, so these do once the
 * address is confirmed, and the user need not type the password again.
 */
export const useFreshCredentials = () => use(FreshContext)

export function FreshCredentialsProvider({ children }: { readonly children: ReactNode }) {
  const [credentials, remember] = useState<Credentials>()
  return <FreshContext value={{ credentials, remember }}>{children}</FreshContext>
}
