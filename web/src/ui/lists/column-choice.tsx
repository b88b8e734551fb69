import { useRef, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { buttonClass } from '../controls/button.tsx'
import { Icon } from '../icon.tsx'
import type { Column } from './table.tsx'

interface Props<Row> {
  readonly columns: readonly Column<Row>[]
  readonly hidden: ReadonlySet<string>
  show(column: string, isShown: boolean): void
}

/** The first column names the row, and buttons have no title that could be chosen: both are always there. */
export const canBeHidden = <Row,>({ isTitleHidden }: Column<Row>, index: number) => index > 0 && !isTitleHidden

export function ColumnChoice<Row>(props: Props<Row>) {
  const { lists } = useTexts()
  const box = useRef<HTMLDetailsElement>(null)
  const [isOpen, setOpen] = useState(false)
  if (!props.columns.some(canBeHidden)) return null
  const close = () => {
    if (box.current) box.current.open = false
  }
  return (
    <details
      ref={box}
      className="relative sm:self-end"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onKeyDown={({ key }) => {
        if (key !== 'Escape') return
        close()
        box.current?.querySelector('summary')?.focus()
      }}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget && !box.current?.contains(relatedTarget)) close()
      }}
    >
      <summary
        aria-label={lists.columns}
        title={lists.columns}
        className={buttonClass({ size: 'icon' }, 'cursor-pointer list-none')}
      >
        <Icon name="columns" className="size-4" />
      </summary>
      {isOpen && <Choices {...props} />}
    </details>
  )
}

function Choices<Row>({ columns, hidden, show }: Props<Row>) {
  const { lists } = useTexts()
  return (
    <fieldset className="absolute right-0 z-20 mt-1 flex w-56 flex-col gap-1 rounded-md border border-line bg-surface p-2 shadow-card max-sm:right-auto max-sm:left-0">
      <legend className="sr-only">{lists.columns}</legend>
      {columns.filter(canBeHidden).map(({ key, title }) => (
        <label key={key} className="flex items-center gap-2.5 rounded-sm px-2 py-1.5 text-compact hover:bg-sunken">
          <input
            type="checkbox"
            checked={!hidden.has(key)}
            onChange={({ target }) => show(key, target.checked)}
            className="size-5 accent-(--color-accent)"
          />
          {title}
        </label>
      ))}
    </fieldset>
  )
}
