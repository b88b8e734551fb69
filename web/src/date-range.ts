export const rangePresets = { today: 1, '7d': 7, '30d': 30 } as const

/** In the address: a preset, or two days of which either can be missing, as in `2026-11-01..`. */
export type RangeValue = string | undefined

export const isPreset = (value: RangeValue): value is keyof typeof rangePresets =>
  value !== undefined && Object.hasOwn(rangePresets, value)

export function daysOf(value: RangeValue): readonly [from: string, to: string] {
  const [from = '', to = ''] = value?.split('..') ?? []
  return value?.includes('..') ? [from, to] : ['', '']
}

/** The first and the last millisecond of it by the reader's clock; what is not a day is ignored. */
export function instantsOf(value: RangeValue): { readonly start?: number; readonly end?: number } {
  if (isPreset(value)) return { start: midnight(new Date(), 1 - rangePresets[value]) }
  const [from, to] = daysOf(value)
  return {
    ...(isDate(from) && { start: midnight(localDay(from), 0) }),
    ...(isDate(to) && { end: midnight(localDay(to), 1) - 1 }),
  }
}

const localDay = (day: string) => new Date(`${day}T00:00`)
const isDate = (day: string) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(localDay(day).getTime())

/** Not a number of hours: days of 23 and 25 hours exist. */
const midnight = (day: Date, later: number): number =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + later).getTime()
