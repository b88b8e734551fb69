import { useEffect, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  readonly view: { readonly page: number; readonly values: object } | undefined
  readonly order: string | undefined
  readonly data: { readonly items: readonly unknown[]; readonly total?: number } | undefined
  /** False while the rows of the view before are shown. */
  readonly isSettled: boolean
}

/** Tells screen readers once what a search, a filter, an order or another page has led to. */
export function Said({ view, order, data, isSettled }: Props) {
  const { lists } = useTexts()
  const page = view?.page ?? 1
  const list = JSON.stringify([view?.values, order])
  const [said, setSaid] = useState({ list, page, words: '' })
  const total = data?.total ?? data?.items.length
  useEffect(() => {
    if (!isSettled || total === undefined || (said.list === list && said.page === page)) return
    const results = total === 0 ? lists.noMatches : lists.results(total)
    setSaid({ list, page, words: said.list === list ? lists.pageNumber(page) : results })
  }, [isSettled, total, said, list, page, lists])
  return (
    <span role="status" className="sr-only">
      {said.words}
    </span>
  )
}
