import type { ReactNode } from 'react'
import { ArchMark } from './arch-mark.tsx'
import type { IconName } from './icon.tsx'

interface Props {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
}

export function EmptyState({ icon, title, text, action }: Props) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <ArchMark icon={icon} />
      <p className="mt-2 font-medium">{title}</p>
      <p className="max-w-96 text-ink-soft">{text}</p>
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}
