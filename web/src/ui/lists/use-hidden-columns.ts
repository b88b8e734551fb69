import { useState } from 'react'

const keyOf = (list: string) => `hidden-columns:${list}`

/** The columns of a list that are hidden in this browser. */
export function useHiddenColumns(list: string) {
  const [hidden, setHidden] = useState(() => readHidden(list))
  const show = (column: string, isShown: boolean) => {
    const next = new Set(hidden)
    if (isShown) next.delete(column)
    else next.add(column)
    localStorage.setItem(keyOf(list), [...next].join(' '))
    setHidden(next)
  }
  return { hidden, show }
}

const readHidden = (list: string): ReadonlySet<string> => new Set(localStorage.getItem(keyOf(list))?.split(' '))
