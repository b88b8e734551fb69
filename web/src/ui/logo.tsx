import { useQuery } from '@tanstack/react-query'
import { initialOf } from '../initial.ts'
import { useLook } from '../server/brand.ts'
import { clientConfigQuery, useClientConfig } from '../server/session.ts'
import { useTheme } from '../theme.ts'

const ourName = 'Gatehouse'

/** A picture can be wider than it is high, as names that are drawn are. */
const sizes = {
  small: { square: 'size-7', picture: 'h-7 min-w-7' },
  medium: { square: 'size-8', picture: 'h-8 min-w-8' },
  large: { square: 'size-12', picture: 'h-12 min-w-12 max-w-40' },
} as const

/** The operator's picture; without one the first letter of the name; our own sign only under our own name. */
export function Logo({ size = 'medium' }: { readonly size?: keyof typeof sizes }) {
  const { app_name } = useClientConfig()
  const theme = useTheme()
  const { logo_url: onLight, logo_dark_url: onDark } = useLook() ?? {}
  const { square, picture } = sizes[size]
  const shown = theme === 'dark' ? (onDark ?? onLight) : (onLight ?? onDark)
  if (shown) {
    return (
      <picture className="shrink-0">
        {theme === 'system' && onDark && <source media="(prefers-color-scheme: dark)" srcSet={onDark} />}
        <img src={shown} alt="" className={`gh-logo logo ${picture}`} />
      </picture>
    )
  }
  return app_name === ourName ? <OurSign className={square} /> : <Initial name={app_name} className={square} />
}

/** True if the pages have another name, picture or style than ours, or do not know theirs yet. */
export function useIsBranded(): boolean {
  const { data } = useQuery({ ...clientConfigQuery, enabled: false })
  const look = useLook()
  return data?.app_name !== ourName || look?.logo_url !== null || look.style_url !== null
}

interface Props {
  readonly className: string
}

/** Stands for a picture that is missing. */
export function Initial({ name, className }: Props & { readonly name: string }) {
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-md bg-accent font-semibold text-on-accent ${className}`}
    >
      {initialOf(name)}
    </span>
  )
}

function OurSign({ className }: Props) {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className={`shrink-0 ${className}`}>
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="2.2" strokeLinecap="round">
        <path d="M7.5 25v-9a8.5 8.5 0 0 1 17 0v9" />
        <path d="M13 25v-9a3 3 0 0 1 6 0v9" />
      </g>
    </svg>
  )
}
