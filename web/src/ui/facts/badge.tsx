import type { ReactNode } from 'react'

const looks = {
  plain: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
} as const

interface Props {
  readonly look?: keyof typeof looks
  readonly children: ReactNode
}

export function Badge({ look = 'plain', children }: Props) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap rounded-full px-2 py-0.5 font-medium text-tiny leading-5 forced-colors:border ${looks[look]}`}
    >
      {children}
    </span>
  )
}
