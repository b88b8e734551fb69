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

export const dropDrafts = () => sessionStorage.clear()
