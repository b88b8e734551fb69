import { useId } from 'react'
import { Switch as AriaSwitch } from 'react-aria-components/Switch'

interface Props {
  readonly label: string
  readonly hint?: string
  readonly isSelected: boolean
  readonly isDisabled?: boolean
  onChange(isSelected: boolean): void
}

/** The hint describes the switch; it is no part of its name. */
export function Switch({ label, hint, isSelected, isDisabled, onChange }: Props) {
  const hintId = useId()
  return (
    <div>
      <AriaSwitch
        isSelected={isSelected}
        isDisabled={isDisabled ?? false}
        onChange={onChange}
        {...(hint && { 'aria-describedby': hintId })}
        className="group flex items-start justify-between gap-4 data-[disabled]:opacity-60"
      >
        <span className="min-w-0 font-medium text-[0.933rem]">{label}</span>
        <span className="flex h-6 w-10 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors group-data-[selected]:bg-accent group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-accent group-data-[focus-visible]:outline-offset-2">
          <span className="size-5 rounded-full bg-raised shadow-card transition-transform group-data-[selected]:translate-x-4" />
        </span>
      </AriaSwitch>
      {hint && (
        <p id={hintId} className="pr-14 text-[0.867rem] text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}
