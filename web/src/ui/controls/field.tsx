import type { ReactNode } from 'react'

export const labelClass = 'gh-label text-small font-medium text-ink'
export const hintClass = 'text-small text-ink-soft'

interface ProblemProps {
  readonly id?: string
  /** Read out at once, where the focus does not move to its field. */
  readonly role?: 'alert'
  readonly className?: string
  readonly children: string | undefined
}

/** The problem of a field; renders nothing without one. */
export function Problem({ className = '', children, ...named }: ProblemProps) {
  if (children === undefined) return null
  return (
    <p {...named} className={`text-danger text-small ${className}`}>
      {children}
    </p>
  )
}

interface Props {
  /** The id of the control. */
  readonly id: string
  readonly label: ReactNode
  readonly isLabelHidden?: boolean | undefined
  /** Shown beside the label. */
  readonly corner?: ReactNode
  readonly hint?: string | undefined
  readonly problem?: string | undefined
  readonly children: ReactNode
}

/** Label, control, hint and problem, connected for those who do not see them together. */
export function Field({ id, label, isLabelHidden, corner, hint, problem, children }: Props) {
  return (
    <div className="gh-field flex flex-col gap-1.5">
      <span className="flex items-baseline justify-between gap-4">
        <label htmlFor={id} className={isLabelHidden ? 'sr-only' : labelClass}>
          {label}
        </label>
        {corner}
      </span>
      {children}
      {hint && (
        <p id={`${id}hint`} className={hintClass}>
          {hint}
        </p>
      )}
      <Problem id={`${id}problem`}>{problem}</Problem>
    </div>
  )
}

/** The ids that describe a control: its hint and its problem, as far as there are any. */
export const describedBy = (id: string, { hint, problem }: Pick<Props, 'hint' | 'problem'>) =>
  [hint && `${id}hint`, problem !== undefined && `${id}problem`].filter(Boolean).join(' ') || undefined
