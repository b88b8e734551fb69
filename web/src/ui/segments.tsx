import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'

interface Props<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: NoInfer<Value>) => void
}

/** A few choices side by side, exactly one of them on. */
export function Segments<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  const isOption = (candidate: string): candidate is Value => candidate in options
  return (
    <RadioGroup
      aria-label={label}
      orientation="horizontal"
      value={value}
      onChange={(chosen) => isOption(chosen) && onChange(chosen)}
      className="flex w-fit max-w-full flex-wrap rounded-md bg-sunken p-1"
    >
      {Object.keys(options)
        .filter(isOption)
        .map((option) => (
          <Radio
            key={option}
            value={option}
            className="grid h-8 cursor-pointer place-items-center rounded-sm px-3 font-medium text-[0.867rem] text-ink-soft transition-colors data-[selected]:bg-surface data-[hovered]:text-ink data-[selected]:text-accent-strong data-[selected]:shadow-card data-[focus-visible]:outline-2 data-[focus-visible]:outline-accent dark:data-[selected]:bg-accent-soft"
          >
            {options[option]}
          </Radio>
        ))}
    </RadioGroup>
  )
}
