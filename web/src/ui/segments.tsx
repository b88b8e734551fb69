interface Props<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: NoInfer<Value>) => void
}

/** A few choices side by side, one of them on. */
export function Segments<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  const isOption = (candidate: string): candidate is Value => candidate in options
  return (
    <fieldset className="flex w-fit rounded-md bg-sunken p-1">
      <legend className="sr-only">{label}</legend>
      {Object.keys(options)
        .filter(isOption)
        .map((option) => (
          <button
            key={option}
            type="button"
            aria-pressed={option === value}
            onClick={() => onChange(option)}
            className="h-8 rounded-sm px-3 font-medium text-[0.867rem] text-ink-soft transition-colors hover:text-ink aria-pressed:bg-surface aria-pressed:text-accent-strong aria-pressed:shadow-card dark:aria-pressed:bg-accent-soft"
          >
            {options[option]}
          </button>
        ))}
    </fieldset>
  )
}
