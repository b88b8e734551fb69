import { useQuery } from '@tanstack/react-query'
import { clientConfigQuery, useClientConfig } from '../server/session.ts'

const ourName = 'Gatehouse'

/** The operator's picture; without one the first letter of the name; our own sign only under our own name. */
export function Logo({ className = 'size-8' }: { readonly className?: string }) {
  const { app_name, brand } = useClientConfig()
  if (brand.logo_url) {
    return <img src={brand.logo_url} alt="" className={`shrink-0 object-contain ${className}`} />
  }
  return app_name === ourName ? (
    <OurSign className={className} />
  ) : (
    <Initial name={app_name} className={className} />
  )
}

/** Whether the pages have another name or picture than ours, or do not know theirs yet. */
export function useIsBranded(): boolean {
  const { data } = useQuery({ ...clientConfigQuery, enabled: false })
  return data?.app_name !== ourName || data.brand.logo_url !== null
}

interface Props {
  readonly className: string
}

function Initial({ name, className }: Props & { readonly name: string }) {
  const [first = ''] = Array.from(name)
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-md bg-accent font-semibold text-on-accent ${className}`}
    >
      {first.toLocaleUpperCase()}
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
