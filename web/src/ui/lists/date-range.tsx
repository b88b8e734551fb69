import { daysOf, isPreset, type RangeValue } from '../../date-range.ts'
import { useSpoken, useTexts } from '../../texts/texts.tsx'
import { Problem } from '../controls/field.tsx'
import { Select } from '../controls/select.tsx'
import { controlClass } from '../controls/text-field.tsx'

interface Props {
  readonly label: string
  readonly value: RangeValue
  /** The words for rows without such a time, if they can be selected. */
  readonly never?: string
  onChange(value: RangeValue): void
}

/** When something happened: a preset or two days, in the reader's time zone, which is named. */
export function DateRange({ label, value, never, onChange }: Props) {
  const { lists } = useTexts()
  const { any, dates, ...named } = lists.ranges
  const isDates = value?.includes('..') ?? false
  const others = never === undefined ? {} : { never }
  const isKnown = isPreset(value) || (value !== undefined && Object.hasOwn(others, value))
  const choose = (chosen: string) => {
    if (chosen === 'dates') onChange('..')
    else onChange(chosen === 'any' ? undefined : chosen)
  }
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="grow">
        <Select
          label={label}
          value={isDates ? 'dates' : isKnown ? value : 'any'}
          options={{ any, ...named, ...others, dates }}
          onChange={choose}
          corner={(isDates || isPreset(value)) && <Zone />}
        />
      </div>
      {isDates && <TwoDays label={label} value={value} onChange={onChange} />}
    </div>
  )
}

/** Names the reader's time zone, which the days are in. */
function Zone() {
  const { language } = useSpoken()
  const format = new Intl.DateTimeFormat(language, { timeZoneName: 'short' })
  const name = format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value
  return (
    <span title={format.resolvedOptions().timeZone} className="text-ink-soft text-tiny">
      {name}
    </span>
  )
}

function TwoDays({ label, value, onChange }: Props) {
  const { lists } = useTexts()
  const [from, to] = daysOf(value)
  return (
    <fieldset className="flex flex-wrap items-start gap-2">
      <legend className="sr-only">{label}</legend>
      <Day label={lists.from} value={from} most={to} onChange={(day) => onChange(`${day}..${to}`)} />
      <Day label={lists.to} value={to} least={from} onChange={(day) => onChange(`${from}..${day}`)} />
      {from && to && from > to && (
        <Problem role="alert" className="w-full">
          {lists.daysReversed}
        </Problem>
      )}
    </fieldset>
  )
}

interface DayProps {
  readonly label: string
  readonly value: string
  readonly least?: string
  readonly most?: string
  onChange(day: string): void
}

function Day({ label, value, least, most, onChange }: DayProps) {
  return (
    <label className="flex flex-col gap-1.5 font-medium text-small">
      {label}
      <input
        type="date"
        value={value}
        min={least}
        max={most}
        onChange={({ target }) => onChange(target.value)}
        className={`${controlClass} touch h-10 w-38 font-normal`}
      />
    </label>
  )
}
