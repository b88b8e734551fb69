import { useTexts } from '../../../../texts/texts.tsx'
import { Button } from '../../../../ui/controls/button.tsx'
import { hintClass, labelClass } from '../../../../ui/controls/text-field.tsx'

const ownAccent = '#1d5c4c'

interface Props {
  /** '' for the pages' own. */
  readonly value: string
  readonly problem?: string | undefined
  onChange(value: string): void
}

export function AccentField({ value, problem, onChange }: Props) {
  const { config } = useTexts()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor="accent" className={labelClass}>
        {config.fields.accent}
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
        {config.accentHint}
      </p>
      {problem && (
        <p role="alert" className="text-danger text-small">
          {problem}
        </p>
      )}
    </div>
  )
}
