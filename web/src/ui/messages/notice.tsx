import type { ReactNode } from 'react'
import { Icon, type IconName } from '../icon.tsx'

const looks = {
  info: { box: 'bg-accent-soft text-ink', mark: 'text-accent', icon: 'info' },
  done: { box: 'bg-accent-soft text-ink', mark: 'text-accent', icon: 'check' },
  warning: { box: 'bg-warning-soft text-ink', mark: 'text-warning', icon: 'warning' },
  danger: { box: 'bg-danger-soft text-ink', mark: 'text-danger', icon: 'warning' },
} as const satisfies Record<string, { box: string; mark: string; icon: IconName }>

interface Props {
  readonly look: keyof typeof looks
  readonly title?: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** Something worth knowing beside the content; `danger` is read out at once. */
export function Notice({ look, title, action, children }: Props) {
  const { box, mark, icon } = looks[look]
  return (
    <div
      role={look === 'danger' ? 'alert' : 'status'}
      className={`appear flex gap-3 rounded-lg border border-transparent px-4 py-3 text-compact ${box}`}
    >
      <Icon name={icon} className={`mt-0.5 size-[1.2rem] ${mark}`} />
      <div className="flex min-w-0 grow flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 basis-64 grow">
          {title && <p className="font-medium">{title}</p>}
          <div className={`wrap-anywhere ${title ? 'text-ink-soft' : ''}`}>{children}</div>
        </div>
        {action}
      </div>
    </div>
  )
}
