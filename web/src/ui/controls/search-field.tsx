import { type FormEvent, useEffect, useState } from 'react'
import { TextField } from './text-field.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly problem?: string | undefined
  onSearch(value: string): void
}

const pauseMs = 350

/** Searches when the typing pauses, or at once on Enter and when the field loses the focus. */
export function SearchField({ label, value, problem, onSearch }: Props) {
  const [typed, setTyped] = useState(value)

  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onSearch(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, value, onSearch])

  const send = (event: FormEvent) => {
    event.preventDefault()
    // It can be inside another form, which it must not submit.
    event.stopPropagation()
    onSearch(typed)
  }
  const leave = () => {
    if (typed !== value) onSearch(typed)
  }
  return (
    <form onSubmit={send} onBlur={leave} className="grow sm:max-w-80 sm:basis-40">
      <TextField label={label} type="search" value={typed} problem={problem} onChange={setTyped} />
    </form>
  )
}
