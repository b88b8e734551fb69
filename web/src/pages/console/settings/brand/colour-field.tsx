import { useId } from 'react'
import { useTexts } from '../../../../texts/texts.tsx'
import { Button } from '../../../../ui/controls/button.tsx'
import { hintClass, labelClass, Problem } from '../../../../ui/controls/field.tsx'
import type { ControlProps } from '../part-fields.tsx'

/** The pages' own, by the fields that replace them. */
const own: Readonly<Record<string, string>> = { accent: '#1d5c4c', accent_dark: '#86cfb4', background: '#f6f5f1' }

/** '' for the pages' own colour, or for one that is made from the others. */
export function ColourField({ name, label, hint, value, problem, onChange }: ControlProps<string>) {
  const { config } = useTexts()
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className={labelClass}>
        {label}
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <input
          id={id}
          type="color"
          aria-describedby={`${id}hint`}
          value={value || own[name]}
          onChange={({ target }) => onChange(target.value)}
          className="h-10 w-14 rounded-md border border-line-strong bg-raised p-1"
        />
        <code className="font-mono text-ink-soft">{value || config.colourOwn}</code>
        {value !== '' && (
          <Button size="small" look="plain" onPress={() => onChange('')}>
            {config.accentOwn}
          </Button>
        )}
      </div>
      <p id={`${id}hint`} className={hintClass}>
        {hint}
      </p>
      <Problem role="alert">{problem}</Problem>
    </div>
  )
}
