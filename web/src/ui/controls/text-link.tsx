import type { ReactNode } from 'react'
import { Link } from '../../routing/router.tsx'

export const textLinkClass =
  'gh-link rounded-sm font-medium text-accent underline decoration-accent/30 underline-offset-3 transition-colors hover:decoration-accent'

interface Props {
  readonly to: string
  readonly children: ReactNode
  onClick?(): void
}

export function TextLink({ children, ...link }: Props) {
  return (
    <Link {...link} className={textLinkClass}>
      {children}
    </Link>
  )
}
