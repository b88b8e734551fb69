import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import { TextField } from './text-field.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly problem?: string | undefined
  /** The service's limit; the rest of a longer text is not searched for. */
  readonly maxLength: number
  /** `replace` is true if the search before it belongs to the same visit to the field. */
  onSearch(value: string, options: { readonly replace: boolean }): void
}

const pauseMs = 350

/** Searches when the typing pauses, or at once on Enter and when the field loses the focus. */
export function SearchField({ label, value, problem, maxLength, onSearch }: Props) {
  const [typed, setTyped] = useState(value)
  const { search, leave } = useSearch(value, setTyped, onSearch)

  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => search(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, value, search])

  const send = (event: FormEvent) => {
    event.preventDefault()
    // It can be inside another form, which it must not submit.
    event.stopPropagation()
    search(typed)
  }
  const blur = () => {
    search(typed)
    leave()
  }
  return (
    <form onSubmit={send} onBlur={blur} className="grow sm:max-w-80 sm:basis-40">
      <TextField
        label={label}
        type="search"
        value={typed}
        problem={problem}
        maxLength={maxLength}
        onChange={setTyped}
      />
    </form>
  )
}

/** The field takes over a value from elsewhere, but not its own earlier value that comes back while more is typed. */
function useSearch(value: string, setTyped: (value: string) => void, onSearch: Props['onSearch']) {
  const sent = useRef<readonly string[]>([])
  const lastOfVisit = useRef<string>(undefined)
  useEffect(() => {
    const at = sent.current.indexOf(value)
    sent.current = at === -1 ? [] : sent.current.slice(at + 1)
    if (at !== -1) return
    lastOfVisit.current = undefined
    setTyped(value)
  }, [value, setTyped])
  const search = useCallback(
    (typed: string) => {
      if (typed === value) return
      // Until the value is back, the user can still be asked about unsaved work, which a replacement would skip.
      const replace = lastOfVisit.current === value
      sent.current = [...sent.current, typed]
      lastOfVisit.current = typed
      onSearch(typed, { replace })
    },
    [value, onSearch],
  )
  const leave = useCallback(() => {
    lastOfVisit.current = undefined
  }, [])
  return { search, leave }
}
