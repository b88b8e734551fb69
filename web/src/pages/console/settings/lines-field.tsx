import { useState } from 'react'
import { TextField } from '../../../ui/controls/text-field.tsx'

interface Props {
  readonly label: string
  readonly hint: string
  readonly placeholder: string
  readonly lines: readonly string[]
  /** Whether the lines are a change that nobody has saved yet. */
  readonly isChanged: boolean
  onChange(lines: string[]): void
}

/** A list, one entry per line. The text stays as typed until it is saved or discarded. */
export function LinesField({ lines, isChanged, onChange, ...field }: Props) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextField
      {...field}
      rows={3}
      mono
      value={isChanged && typed !== undefined ? typed : lines.join('\n')}
      onChange={(text) => {
        setTyped(text)
        onChange(text.split(/[\s,]+/).filter((line) => line !== ''))
      }}
    />
  )
}
