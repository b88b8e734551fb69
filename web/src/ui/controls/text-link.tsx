import type { ReactNode } from 'react'
import { Link } from '../../routing/router.tsx'

export const textLinkClass =
  'rounded-sm font-medium text-accent underline decoration-accent/30 underline-offset-3 transition-colors hover:decoration-accent'

export function TextLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className={textLinkClass}>
      {children}
    </Link>
  )
}
