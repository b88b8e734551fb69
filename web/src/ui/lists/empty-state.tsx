import type { ReactNode } from 'react'
import { ArchMark } from '../arch-mark.tsx'
import type { IconName } from '../icon.tsx'

interface Props {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
  /** `h1` if nothing else is on the page. */
  readonly heading?: 'h1' | 'p'
}

export function EmptyState({ icon, title, text, action, heading: Heading = 'p' }: Props) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <ArchMark icon={icon} />
      <Heading className="mt-2 font-medium outline-none">{title}</Heading>
      <p className="max-w-96 text-ink-soft">{text}</p>
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}
