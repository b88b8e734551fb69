import { useTexts } from '../../../../texts/texts.tsx'
import { Button } from '../../../../ui/controls/button.tsx'
import { hintClass, labelClass, Problem } from '../../../../ui/controls/field.tsx'
import type { ControlProps } from '../part-fields.tsx'

const ownAccent = '#1d5c4c'

/** '' for the pages' own colour. */
export function AccentField({ label, hint, value, problem, onChange }: ControlProps<string>) {
  const { config } = useTexts()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor="accent" className={labelClass}>
        {label}
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <input
          id="accent"
          type="color"
          aria-describedby="accent-hint"
          value={value || ownAccent}
          onChange={({ target }) => onChange(target.value)}
          className="h-10 w-14 rounded-md border border-line-strong bg-raised p-1"
        />
        <code className="font-mono text-ink-soft">{value || ownAccent}</code>
        {value !== '' && (
          <Button size="small" look="plain" onPress={() => onChange('')}>
            {config.accentOwn}
          </Button>
        )}
      </div>
      <p id="accent-hint" className={hintClass}>
        {hint}
      </p>
      <Problem role="alert">{problem}</Problem>
    </div>
  )
}
