import { useId } from 'react'

interface Props {
  readonly label: string
  readonly hint?: string
  readonly isSelected: boolean
  readonly isDisabled?: boolean
  readonly problem?: string | undefined
  onChange(isSelected: boolean): void
}

/**
 * The browser's own checkbox in the role of a switch, unseen where the switch is drawn, so that a pointer meets
 * it there. The hint is its description, not part of its name.
 */
export function Switch({ label, hint, isSelected, isDisabled, problem, onChange }: Props) {
  const id = useId()
  const hintId = `${id}hint`
  const problemId = `${id}problem`
  const described = [hint && hintId, problem && problemId].filter(Boolean).join(' ')
  return (
    <div>
      <label className="relative flex cursor-pointer items-start justify-between gap-4 has-disabled:cursor-default has-disabled:opacity-60">
        <span className="min-w-0 font-medium text-compact">{label}</span>
        <input
          type="checkbox"
          role="switch"
          checked={isSelected}
          aria-checked={isSelected}
          disabled={isDisabled}
          onChange={({ target }) => onChange(target.checked)}
          aria-describedby={described || undefined}
          aria-invalid={problem !== undefined || undefined}
          className="peer absolute top-0 right-0 h-6 w-10 cursor-[inherit] opacity-0"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none flex h-6 w-10 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors before:size-5 before:rounded-full before:bg-raised before:shadow-card before:transition-transform peer-checked:bg-accent peer-checked:before:translate-x-4 peer-focus-visible:outline-2 peer-focus-visible:outline-accent peer-focus-visible:outline-offset-2 forced-colors:border forced-colors:before:bg-[ButtonText]"
        />
      </label>
      {hint && (
        <p id={hintId} className="pr-14 text-small text-ink-soft">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={problemId} className="pr-14 text-danger text-small">
          {problem}
        </p>
      )}
    </div>
  )
}
