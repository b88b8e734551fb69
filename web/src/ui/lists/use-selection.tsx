import { type ReactNode, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'

export interface Selection<Row> {
  /** The visible rows: another page begins with none selected. */
  readonly chosen: readonly Row[]
  readonly isWhole: boolean
  chooseAll(isOn: boolean): void
  drop(rows: readonly Row[]): void
  marker(row: Row): ReactNode
}

/** Which rows of a page are selected, for actions on several at once. */
export function useSelection<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => string,
  nameOf: (row: Row) => string = rowKey,
): Selection<Row> {
  const { lists } = useTexts()
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter((row) => marked.has(rowKey(row)))

  const mark = (key: string, isOn: boolean) =>
    setMarked((before) => {
      const next = new Set(before)
      if (isOn) next.add(key)
      else next.delete(key)
      return next
    })

  const drop = (done: readonly Row[]) => {
    const keys = new Set(done.map(rowKey))
    setMarked((before) => new Set([...before].filter((key) => !keys.has(key))))
  }

  return {
    chosen,
    drop,
    isWhole: chosen.length > 0 && chosen.length === rows.length,
    chooseAll: (isOn) => setMarked(new Set(isOn ? rows.map(rowKey) : [])),
    marker: (row) => (
      // A finger needs more room than the box itself.
      <label className="-m-1.5 grid w-fit cursor-pointer p-1.5">
        <input
          type="checkbox"
          aria-label={lists.choose(nameOf(row))}
          checked={marked.has(rowKey(row))}
          onChange={({ target }) => mark(rowKey(row), target.checked)}
          className="size-5 accent-(--color-accent)"
        />
      </label>
    ),
  }
}
