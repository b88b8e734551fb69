const draftKey = (form: string) => `draft:${form}`

/** The unsaved values of a form; they survive a reload and the end of the session. */
export function draftOf(form: string): object {
  const kept: unknown = JSON.parse(sessionStorage.getItem(draftKey(form)) ?? '{}')
  return typeof kept === 'object' && kept !== null ? kept : {}
}

/** A text that is too long for the browser's storage stays on the page only. */
export function keepDraft(form: string, values: object): void {
  try {
    sessionStorage.setItem(draftKey(form), JSON.stringify(values))
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    dropDraft(form)
  }
}

export const dropDraft = (form: string) => sessionStorage.removeItem(draftKey(form))

export const dropDrafts = () => sessionStorage.clear()

const WRITER = 'drafts-of'

/**
 * True if somebody was signed in in this tab and has not signed out there, so the session ended by itself or elsewhere.
 */
export const wasSignedIn = () => sessionStorage.getItem(WRITER) !== null

export const hasDraft = () => Object.keys(sessionStorage).some((key) => key.startsWith('draft:'))

/** Drafts of another user in this tab are removed; the user's own survive the end of a session. */
export function keepDraftsOf(userId: string): void {
  if (sessionStorage.getItem(WRITER) !== userId)
    for (const key of Object.keys(sessionStorage)) if (key.startsWith('draft:')) sessionStorage.removeItem(key)
  sessionStorage.setItem(WRITER, userId)
}
