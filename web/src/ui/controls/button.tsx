import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps } from 'react-aria-components/Button'
import { Spinner } from '../messages/spinner.tsx'

const base =
  'relative inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium select-none transition-[background-color,border-color,color,scale] duration-100 data-[pressed]:scale-[0.985] data-[disabled]:opacity-50 data-[disabled]:pointer-events-none'

const looks = {
  primary: 'bg-accent text-on-accent data-[hovered]:bg-accent-strong',
  quiet:
    'bg-surface text-ink border border-line-strong shadow-card data-[hovered]:bg-sunken data-[hovered]:border-ink-soft/50',
  plain: 'text-ink-soft data-[hovered]:bg-sunken data-[hovered]:text-ink',
  danger: 'bg-danger text-on-danger data-[hovered]:opacity-90',
  warn: 'bg-surface text-danger border border-line-strong shadow-card data-[hovered]:bg-danger-soft data-[hovered]:border-danger/40',
} as const

const sizes = {
  small: 'h-8 px-3 text-[0.867rem]',
  medium: 'h-10 px-4 text-[0.933rem]',
  icon: 'size-9',
} as const

export interface Look {
  readonly look?: keyof typeof looks
  readonly size?: keyof typeof sizes
}

/** The same look for links that lead somewhere and buttons that do something. */
export function buttonClass({ look = 'quiet', size = 'medium' }: Look, more = ''): string {
  return `${base} ${looks[look]} ${sizes[size]} ${more}`
}

interface Props extends Omit<ButtonProps, 'className' | 'children' | 'isPending'>, Look {
  /** Shows progress and takes no further press; the focus stays. */
  readonly isPending?: boolean
  readonly className?: string
  readonly children: ReactNode
}

export function Button({ look, size, className, children, isPending, ...props }: Props) {
  const acts = isPending ? ({ ...props, type: 'button', onPress: ignore } as const) : props
  return (
    <AriaButton
      {...acts}
      className={buttonClass({ ...(look && { look }), ...(size && { size }) }, className)}
    >
      {isPending && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner />
        </span>
      )}
      <span className={`inline-flex items-center gap-2 ${isPending ? 'opacity-0' : ''}`}>{children}</span>
    </AriaButton>
  )
}

const ignore = () => undefined
