import { type ReactNode, useId } from 'react'
import { Icon } from '../icon.tsx'
import { describedBy, Field } from './field.tsx'

interface Props<Value extends string> {
  readonly label: ReactNode
  readonly hint?: string | undefined
  /** Shown beside the label. */
  readonly corner?: ReactNode
  readonly value: Value
  readonly options: Readonly<Record<Value, string>>
  /** Further options, each group below its title. */
  readonly groups?: Readonly<Record<string, Readonly<Record<Value, string>>>>
  readonly isLabelHidden?: boolean
  readonly name?: string
  readonly problem?: string | undefined
  readonly onChange: (value: NoInfer<Value>) => void
}

/** The browser's own list: best on a phone, and whole by keyboard everywhere. */
export function Select<Value extends string>({
  label,
  hint,
  corner,
  value,
  options,
  groups = {},
  isLabelHidden,
  name,
  problem,
  onChange,
}: Props<Value>) {
  const id = useId()
  const everyOption = Object.assign({}, options, ...Object.values(groups))
  const isOption = (candidate: string): candidate is Value => Object.hasOwn(everyOption, candidate)
  return (
    <Field {...{ id, label, hint, corner, isLabelHidden, problem }}>
      <span className="relative block">
        <select
          id={id}
          name={name}
          value={value}
          aria-describedby={describedBy(id, { hint, problem })}
          aria-invalid={problem !== undefined || undefined}
          onChange={({ target }) => isOption(target.value) && onChange(target.value)}
          className="touch h-10 w-full appearance-none rounded-md border border-line-strong bg-raised pr-9 pl-3 text-ink shadow-card transition-colors hover:border-ink-soft/60 focus-visible:border-accent focus-visible:outline-accent/25 focus-visible:outline-offset-0"
        >
          <Options options={options} />
          {Object.entries(groups).map(([title, grouped]) => (
            <optgroup key={title} label={title}>
              <Options options={grouped} />
            </optgroup>
          ))}
        </select>
        <Icon
          name="chevron-down"
          className="pointer-events-none absolute inset-y-0 right-2.5 my-auto size-4 text-ink-soft"
        />
      </span>
    </Field>
  )
}

function Options({ options }: { readonly options: Readonly<Record<string, string>> }) {
  return Object.entries(options).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ))
}
