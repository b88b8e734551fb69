const days = (count: number) => ({ start: midnight(new Date(), 1 - count) })
const month = (later: number) => {
  const first = (more: number) => {
    const now = new Date()
    return new Date(now.getFullYear(), now.getMonth() + later + more).getTime()
  }
  return { start: first(0), end: first(1) - 1 }
}

const rangePresets = {
  today: () => days(1),
  '7d': () => days(7),
  '30d': () => days(30),
  month: () => month(0),
  'last-month': () => month(-1),
} as const

/** The form in the address: a preset, or two days of which either can be missing, as in `2026-11-01..`. */
export type RangeValue = string | undefined

export const isPreset = (value: RangeValue): value is keyof typeof rangePresets =>
  value !== undefined && Object.hasOwn(rangePresets, value)

export function daysOf(value: RangeValue): readonly [from: string, to: string] {
  const [from = '', to = ''] = value?.split('..') ?? []
  return value?.includes('..') ? [from, to] : ['', '']
}

/** The first and the last millisecond of it by the reader's clock; what is not a day is ignored. */
export function instantsOf(value: RangeValue): { readonly start?: number; readonly end?: number } {
  if (isPreset(value)) return rangePresets[value]()
  const [from, to] = daysOf(value)
  return {
    ...(isDate(from) && { start: midnight(localDay(from), 0) }),
    ...(isDate(to) && { end: midnight(localDay(to), 1) - 1 }),
  }
}

const localDay = (day: string) => new Date(`${day}T00:00`)
const isDate = (day: string) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(localDay(day).getTime())

/** Counts days and not hours, because some days have 23 or 25. */
const midnight = (day: Date, later: number): number =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + later).getTime()
