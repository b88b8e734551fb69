const draftKey = (form: string) => `draft:${form}`

/** What a form held when it was left without a decision: it outlives a reload and the end of the session. */
export function draftOf(form: string): object {
  const kept: unknown = JSON.parse(sessionStorage.getItem(draftKey(form)) ?? '{}')
  return typeof kept === 'object' && kept !== null ? kept : {}
}

/** A text that is too long for the browser's store stays on the page only. */
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

/** What somebody else has left in this tab goes; the writer's own text outlives the end of a session. */
export function keepDraftsOf(userId: string): void {
  if (sessionStorage.getItem(WRITER) !== userId)
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith('draft:')) sessionStorage.removeItem(key)
  sessionStorage.setItem(WRITER, userId)
}
