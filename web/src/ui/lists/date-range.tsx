import { daysOf, isPreset, type RangeValue, rangePresets } from '../../date-range.ts'
import { useSpoken, useTexts } from '../../texts/texts.tsx'
import { Select } from '../controls/select.tsx'
import { controlClass } from '../controls/text-field.tsx'

interface Props {
  readonly label: string
  readonly value: RangeValue
  onChange(value: RangeValue): void
}

const presets = Object.keys(rangePresets)

/** When something happened: a preset or two days, in the reader's time zone, which is named. */
export function DateRange({ label, value, onChange }: Props) {
  const { lists } = useTexts()
  const { any, dates, ...named } = lists.ranges
  const isDates = value?.includes('..') ?? false
  const choose = (chosen: string) => {
    if (chosen === 'dates') onChange('..')
    else onChange(presets.includes(chosen) ? chosen : undefined)
  }
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="grow">
        <Select
          label={label}
          value={isDates ? 'dates' : isPreset(value) ? value : 'any'}
          options={{ any, ...named, dates }}
          onChange={choose}
          corner={(isDates || isPreset(value)) && <Zone />}
        />
      </div>
      {isDates && <TwoDays label={label} value={value} onChange={onChange} />}
    </div>
  )
}

/** The days are the reader's. */
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
        className={`${controlClass} h-10 w-38 font-normal`}
      />
    </label>
  )
}
