import { fileFaultOf } from './file-fault.ts'

/** The result of one check, in words. The operator judges a `note` and fixes a `wrong`. */
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

/** An error's message, with the message of its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message || String(error.cause)})` : ''
  return `${fileFaultOf(error) ?? error.message}${cause}`
}
