import { useId } from 'react'

interface Props<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: NoInfer<Value>) => void
}

/** A few choices side by side, exactly one of them on: the browser's own radio buttons with another look. */
export function Segments<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  const name = useId()
  const isOption = (candidate: string): candidate is Value => candidate in options
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="flex w-fit max-w-full flex-wrap rounded-md bg-sunken p-1 forced-colors:border"
    >
      {Object.keys(options)
        .filter(isOption)
        .map((option) => (
          <label
            key={option}
            className="touch relative grid h-8 cursor-pointer place-items-center rounded-sm px-3 font-medium text-small text-ink-soft transition-colors hover:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent has-checked:bg-surface has-checked:text-accent-strong has-checked:shadow-card dark:has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChange(option)}
              className="absolute inset-0 cursor-pointer appearance-none rounded-sm outline-none"
            />
            {options[option]}
          </label>
        ))}
    </div>
  )
}
