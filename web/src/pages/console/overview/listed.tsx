import { useNumber } from '../../../texts/numbers.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'

export interface Day {
  readonly day: string
  readonly count: number
}

interface Props {
  readonly label: string
  readonly days: readonly Day[]
  nameOf(day: Day): string
  linkOf?(day: string): string
}

/** The figures of a chart as text, without the days that have none. */
export function Listed({ label, days, nameOf, linkOf }: Props) {
  const { figures } = useTexts()
  const number = useNumber()
  const filled = days.filter(({ count }) => count > 0)
  if (filled.length === 0) return null
  return (
    <details className="mt-3 text-small">
      <summary className="cursor-pointer text-ink-soft">{figures.table}</summary>
      <table aria-label={label} className="tabular mt-2">
        <thead className="sr-only">
          <tr>
            <th scope="col">{figures.day}</th>
            <th scope="col">{label}</th>
          </tr>
        </thead>
        <tbody>
          {filled.toReversed().map((day) => (
            <tr key={day.day}>
              <th scope="row" className="py-0.5 pr-6 text-left font-normal">
                {linkOf ? <TextLink to={linkOf(day.day)}>{nameOf(day)}</TextLink> : nameOf(day)}
              </th>
              <td className="text-right">{number(day.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
