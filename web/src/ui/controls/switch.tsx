import { useId } from 'react'
import { describedBy, Problem } from './field.tsx'

interface Props {
  readonly label: string
  readonly hint?: string | undefined
  readonly value: boolean
  readonly isDisabled?: boolean
  readonly problem?: string | undefined
  onChange(value: boolean): void
}

/**
 * The browser's own checkbox in the role of a switch, unseen where the switch is drawn, so that a pointer meets
 * it there. The hint is its description, not part of its name.
 */
export function Switch({ label, hint, value, isDisabled, problem, onChange }: Props) {
  const id = useId()
  return (
    <div>
      <label className="touch relative flex cursor-pointer items-start justify-between gap-4 has-disabled:cursor-default has-disabled:opacity-60">
        <span className="min-w-0 font-medium text-compact">{label}</span>
        <input
          type="checkbox"
          role="switch"
          checked={value}
          aria-checked={value}
          disabled={isDisabled}
          onChange={({ target }) => onChange(target.checked)}
          aria-describedby={describedBy(id, { hint, problem })}
          aria-invalid={problem !== undefined || undefined}
          className="peer absolute top-0 right-0 h-6 w-10 cursor-[inherit] opacity-0"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none flex h-6 w-10 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors before:size-5 before:rounded-full before:bg-raised before:shadow-card before:transition-transform dark:not-peer-checked:before:bg-ink-soft peer-checked:bg-accent peer-checked:before:translate-x-4 peer-focus-visible:outline-2 peer-focus-visible:outline-accent peer-focus-visible:outline-offset-2 forced-colors:border forced-colors:before:bg-[ButtonText]"
        />
      </label>
      {hint && (
        <p id={`${id}hint`} className="pr-14 text-small text-ink-soft">
          {hint}
        </p>
      )}
      <Problem id={`${id}problem`} className="pr-14">
        {problem}
      </Problem>
    </div>
  )
}
