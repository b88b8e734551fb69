import { Link } from '../../../routing/router.tsx'
import { useNumber } from '../../../texts/numbers.ts'
import { useSpoken } from '../../../texts/texts.tsx'
import { type Day, Listed } from './listed.tsx'

interface List {
  /** Shown in the tooltip of a bar that leads to it. */
  readonly words: string
  /** The list of one day. */
  linkOf(day: string): string
}

interface Props {
  readonly label: string
  readonly days: readonly Day[]
  readonly list?: List
}

/** Bars over an axis, drawn here; the same figures are in a table for screen readers, and to copy. */
export function Chart({ label, days, list }: Props) {
  const { language } = useSpoken()
  const number = useNumber()
  const format = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const nameOf = ({ day }: Day) => format.format(new Date(day))
  const top = axisMaximum(Math.max(1, ...days.map(({ count }) => count)))
  return (
    <figure aria-label={label}>
      <div aria-hidden="true" className="tabular grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 pt-6">
        <div className="flex h-36 flex-col justify-between text-right text-micro text-ink-soft leading-none">
          {[top, top / 2, 0].map((mark) => (
            <span key={mark}>{number(mark)}</span>
          ))}
        </div>
        <div className="relative flex h-36 border-line border-y before:absolute before:inset-x-0 before:top-1/2 before:border-line before:border-t">
          {days.map((day) => (
            <Bar
              key={day.day}
              day={day}
              name={nameOf(day)}
              share={day.count / top}
              list={day.count > 0 ? list : undefined}
            />
          ))}
        </div>
        <p className="col-start-2 mt-1.5 flex justify-between text-tiny text-ink-soft">
          {[days[0], days[Math.floor(days.length / 2)], days.at(-1)].map(
            (day) => day && <span key={day.day}>{nameOf(day)}</span>,
          )}
        </p>
      </div>
      <Listed label={label} days={days} nameOf={nameOf} {...(list && { linkOf: list.linkOf })} />
    </figure>
  )
}

interface BarProps {
  readonly day: Day
  readonly name: string
  readonly share: number
  readonly list: List | undefined
}

/** Serves the pointer only: the keyboard and screen readers have the table. */
function Bar({ day: { day, count }, name, share, list }: BarProps) {
  const { texts } = useSpoken()
  const place = 'group relative flex h-full min-w-0 flex-1 items-end justify-center'
  const drawn = (
    <>
      <span
        style={{ height: `${share * 100}%` }}
        className="w-3/4 rounded-t-xs bg-accent group-[a]:group-hover:bg-accent-strong forced-colors:bg-[CanvasText]"
      />
      <span className="pointer-events-none absolute bottom-full left-1/2 z-10 hidden -translate-x-1/2 whitespace-nowrap rounded-sm bg-ink px-2 py-0.5 text-tiny text-ground group-hover:block">
        {texts.figures.on(name, count)}
        {list && ` · ${list.words}`}
      </span>
    </>
  )
  return list ? (
    <Link to={list.linkOf(day)} tabIndex={-1} className={place}>
      {drawn}
    </Link>
  ) : (
    <span className={place}>{drawn}</span>
  )
}

/** The next of 2, 4, 10, 20, 40, 100 …, so that its half is a whole number too. */
function axisMaximum(most: number): number {
  for (let unit = 1; ; unit *= 10) {
    const top = [2, 4, 10].map((times) => times * unit).find((candidate) => candidate >= most)
    if (top !== undefined) return top
  }
}
