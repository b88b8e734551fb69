import { Problem } from './field.tsx'

interface Props<Value extends string> {
  readonly legend: string
  /** Each with its words, in the order in which they are shown and kept. */
  readonly options: readonly (readonly [Value, string])[]
  readonly value: readonly Value[]
  readonly problem: string | undefined
  readonly onChange: (value: Value[]) => void
}

/** Several of many, each with the browser's own checkbox. The words can be a user's: long, or right to left. */
export function Checkboxes<Value extends string>({ legend, options, value, problem, onChange }: Props<Value>) {
  const toggle = (option: Value, isOn: boolean) =>
    onChange(options.map(([one]) => one).filter((one) => (one === option ? isOn : value.includes(one))))
  return (
    <fieldset className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,18rem),1fr))] gap-x-6 gap-y-1.5">
      <legend className="mb-3 font-medium text-small">{legend}</legend>
      {options.map(([option, words]) => (
        <label key={option} className="touch flex items-start gap-2.5 text-compact" title={option}>
          <input
            type="checkbox"
            className="mt-0.5 size-5 shrink-0 accent-(--color-accent)"
            checked={value.includes(option)}
            aria-invalid={problem !== undefined || undefined}
            onChange={({ target }) => toggle(option, target.checked)}
          />
          <bdi className="wrap-anywhere min-w-0">{words}</bdi>
        </label>
      ))}
      <Problem role="alert" className="col-span-full">
        {problem}
      </Problem>
    </fieldset>
  )
}
