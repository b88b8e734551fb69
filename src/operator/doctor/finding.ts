/** One thing that was looked at, in words. `note` is for the operator to judge, `wrong` to mend. */
export interface Finding {
  readonly about: string
  readonly verdict: 'fine' | 'note' | 'wrong'
  readonly words: string
}

export function fine(about: string, words: string): Finding {
  return { about, verdict: 'fine', words }
}

export function note(about: string, words: string): Finding {
  return { about, verdict: 'note', words }
}

export function wrong(about: string, words: string): Finding {
  return { about, verdict: 'wrong', words }
}

/** What a person needs to know of an error: its message, and that of what lies under it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message || String(error.cause)})` : ''
  return `${error.message}${cause}`
}
