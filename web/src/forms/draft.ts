import { useState } from 'react'

/** Text that survives a reload or the end of the session; removed when it is sent or the person signs out. */
export function useDraft(name: string): [string, (text: string) => void] {
  const key = `draft:${name}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const keep = (changed: string) => {
    setText(changed)
    if (changed === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, changed)
  }
  return [text, keep]
}

/** What a form held when it was left without a decision. */
export function draftOf(form: string): object {
  const kept: unknown = JSON.parse(sessionStorage.getItem(`draft:form:${form}`) ?? '{}')
  return typeof kept === 'object' && kept !== null ? kept : {}
}

export function keepDraft(form: string, values: string): void {
  sessionStorage.setItem(`draft:form:${form}`, values)
}

export const dropDraft = (form: string) => sessionStorage.removeItem(`draft:form:${form}`)

/** The person has decided not to keep what is typed into forms. */
export function dropFormDrafts(): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith('draft:form:')) sessionStorage.removeItem(key)
}

export const dropDrafts = () => sessionStorage.clear()

const WRITER = 'drafts-of'

/** What somebody else has left in this tab goes; the writer's own text outlives the end of a session. */
export function keepDraftsOf(userId: string): void {
  if (sessionStorage.getItem(WRITER) !== userId)
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith('draft:')) sessionStorage.removeItem(key)
  sessionStorage.setItem(WRITER, userId)
}
