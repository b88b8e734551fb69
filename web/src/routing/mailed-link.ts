import { useLocation } from './router.tsx'

export interface MailedLink {
  readonly email: string
  /** Has the same effect as the mailed code. */
  readonly link: string
}

/** Read from the fragment of the address, which is not sent to any server. */
export function useMailedLink(): MailedLink | undefined {
  const { hash } = useLocation()
  const parts = new URLSearchParams(hash.slice(1))
  const email = parts.get('email')
  const link = parts.get('link')
  return email && link ? { email, link } : undefined
}
