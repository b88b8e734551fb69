import { useLocation } from './router.tsx'

export interface MailedLink {
  readonly email: string
  /** Opens what the mailed code opens. */
  readonly link: string
}

/** From the fragment of the address, which no server gets to see. */
export function useMailedLink(): MailedLink | undefined {
  const { hash } = useLocation()
  const parts = new URLSearchParams(hash.slice(1))
  const email = parts.get('email')
  const link = parts.get('link')
  return email && link ? { email, link } : undefined
}
