import { useSpoken } from '../../../texts/texts.tsx'

interface Day {
  readonly day: string
  readonly count: number
}

const height = 96
const step = 20
const bar = 14

/** One bar a day; the same figures are a table to those who listen. */
export function SignUpChart({ days }: { readonly days: readonly Day[] }) {
  const { language, texts } = useSpoken()
  const format = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const named = days.map(({ day, count }) => ({ day, count, name: format.format(new Date(day)) }))
  const most = Math.max(1, ...days.map(({ count }) => count))
  return (
    <figure>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${days.length * step} ${height}`}
        preserveAspectRatio="none"
        className="h-28 w-full"
      >
        {named.map(({ day, count, name }, i) => {
          const tall = count === 0 ? 2 : Math.max(4, (count / most) * height)
          return (
            <rect
              key={day}
              x={i * step + (step - bar) / 2}
              y={height - tall}
              width={bar}
              height={tall}
              rx="2"
              className={count === 0 ? 'fill-line' : 'fill-accent'}
            >
              <title>{texts.overview.signUpsOn(name, count)}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption className="tabular mt-2 flex justify-between text-[0.8rem] text-ink-soft">
        <span>{named[0]?.name}</span>
        <span>{named.at(-1)?.name}</span>
      </figcaption>
      <ul className="sr-only">
        {named
          .filter(({ count }) => count > 0)
          .map(({ day, count, name }) => (
            <li key={day}>{texts.overview.signUpsOn(name, count)}</li>
          ))}
      </ul>
    </figure>
  )
}
