import { useId } from 'react'
import { describedBy, Field } from './field.tsx'
import { controlClass } from './text-field.tsx'

interface Props {
  readonly name?: string
  readonly label: string
  readonly hint?: string | undefined
  readonly value: string
  readonly problem?: string | undefined
  readonly placeholder?: string
  onChange(value: string): void
}

const linesOf = (text: string) => text.split('\n').length

/** A text whose lines are numbered and not broken, as high as it is long, or as its example is. */
export function CodeField({ name, label, hint, value, problem, placeholder, onChange }: Props) {
  const id = useId()
  const lines = Math.max(linesOf(value), linesOf(placeholder ?? ''))
  return (
    <Field {...{ id, label, hint, problem }}>
      <div className="flex min-w-0 gap-3 font-mono text-small leading-relaxed">
        <span
          aria-hidden="true"
          className="select-none whitespace-pre border-transparent border-y py-2.5 text-right text-ink-soft"
        >
          {Array.from({ length: lines }, (_, i) => i + 1).join('\n')}
        </span>
        <textarea
          {...{ id, name, value, placeholder }}
          rows={lines}
          wrap="off"
          spellCheck={false}
          aria-describedby={describedBy(id, { hint, problem })}
          aria-invalid={problem !== undefined || undefined}
          onChange={({ target }) => onChange(target.value)}
          className={`${controlClass} resize-none overflow-x-auto py-2.5 leading-relaxed`}
        />
      </div>
    </Field>
  )
}
