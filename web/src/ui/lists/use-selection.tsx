import { type ReactNode, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'

export interface Selection<Row> {
  /** Includes rows that newer ones have pushed off the page. Another page begins with none. */
  readonly chosen: readonly Row[]
  readonly isWhole: boolean
  /** The checkbox of the head. */
  readonly markAll: ReactNode
  /** More than the rows of this page. */
  choose(rows: readonly Row[]): void
  drop(rows: readonly Row[]): void
  marker(row: Row): ReactNode
}

/** The selected rows of a page, for actions on several at once. The place is that of the page in its list. */
export function useSelection<Row>(
  rows: readonly Row[],
  place: string,
  rowKey: (row: Row) => string,
  nameOf: (row: Row) => string = rowKey,
): Selection<Row> {
  const { lists } = useTexts()
  const [of, setOf] = useState<{ readonly place: string; readonly marked: ReadonlyMap<string, Row> }>()
  const marked: ReadonlyMap<string, Row> = of?.place === place ? of.marked : new Map()
  const shown = new Map(rows.map((row) => [rowKey(row), row]))
  const change = (next: (before: ReadonlyMap<string, Row>) => Iterable<readonly [string, Row]>) =>
    setOf((before) => ({ place, marked: new Map(next(before?.place === place ? before.marked : new Map())) }))
  const isWhole = rows.length > 0 && [...shown.keys()].every((key) => marked.has(key))

  return {
    chosen: [...marked].map(([key, row]) => shown.get(key) ?? row),
    drop: (done) => {
      const keys = new Set(done.map(rowKey))
      change((before) => [...before].filter(([key]) => !keys.has(key)))
    },
    isWhole,
    markAll: <Box label={lists.chooseAll} isOn={isWhole} onChange={(isOn) => change(() => (isOn ? shown : []))} />,
    choose: (chosen) => change(() => chosen.map((row) => [rowKey(row), row])),
    marker: (row) => (
      <Box
        label={lists.choose(nameOf(row))}
        isOn={marked.has(rowKey(row))}
        onChange={(isOn) =>
          change((before) =>
            isOn ? [...before, [rowKey(row), row]] : [...before].filter(([key]) => key !== rowKey(row)),
          )
        }
      />
    ),
  }
}

interface BoxProps {
  readonly label: string
  readonly isOn: boolean
  onChange(isOn: boolean): void
}

function Box({ label, isOn, onChange }: BoxProps) {
  return (
    // A finger needs more room than the box itself.
    <label className="touch -m-1.5 grid w-fit cursor-pointer p-1.5 pointer-coarse:-m-3 pointer-coarse:place-content-center">
      <input
        type="checkbox"
        aria-label={label}
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
        className="size-5 accent-(--color-accent)"
      />
    </label>
  )
}
