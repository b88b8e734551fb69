import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Spinner } from '../messages/spinner.tsx'

const base =
  'gh-button touch relative inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium select-none touch-manipulation transition-[background-color,border-color,color,scale] duration-100 active:scale-[0.985] disabled:opacity-50 disabled:pointer-events-none'

// Forced colours take the ground away and show every border, the transparent ones too.
const looks = {
  primary: 'gh-primary border border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  quiet: 'bg-surface text-ink border border-line-strong shadow-card hover:bg-sunken hover:border-ink-soft/50',
  plain: 'border border-transparent text-ink-soft hover:bg-sunken hover:text-ink',
  danger: 'border border-transparent bg-danger text-on-danger hover:opacity-90',
  warn: 'bg-surface text-danger border border-line-strong shadow-card hover:bg-danger-soft hover:border-danger/40',
} as const

const sizes = {
  small: 'h-8 px-3 text-small',
  medium: 'h-10 px-4 text-compact',
  icon: 'size-9',
} as const

export interface Look {
  readonly look?: keyof typeof looks | undefined
  readonly size?: keyof typeof sizes | undefined
}

/** The same look for links that lead somewhere and buttons that do something. */
export function buttonClass({ look = 'quiet', size = 'medium' }: Look, more = ''): string {
  return `${base} ${looks[look]} ${sizes[size]} ${more}`
}

type Native = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'onClick' | 'disabled'>

interface Props extends Native, Look {
  /** Shows progress and ignores further presses; the focus stays. */
  readonly isPending?: boolean
  readonly isDisabled?: boolean | undefined
  readonly className?: string
  readonly children: ReactNode
  onPress?(): unknown
}

/** The browser's own button, which adds nothing to the first load. */
export function Button(props: Props) {
  const { look, size, className, children, isPending, isDisabled, onPress, type = 'button', ...native } = props
  return (
    <button
      {...native}
      type={isPending ? 'button' : type}
      disabled={isDisabled}
      aria-disabled={isPending || undefined}
      onClick={() => void (isPending || onPress?.())}
      className={buttonClass({ look, size }, className)}
    >
      {isPending && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner />
        </span>
      )}
      <span className={`inline-flex items-center gap-2 ${isPending ? 'opacity-0' : ''}`}>{children}</span>
    </button>
  )
}
