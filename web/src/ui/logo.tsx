export function Logo({ className = 'size-8' }: { readonly className?: string }) {
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
