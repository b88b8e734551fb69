import { DAY_MILLISECONDS } from '../../../rules/time.ts'

export function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** A day of the calendar, as the number of days since 1970-01-01. */
export function dayAt(instant: number, timeZone: string): number {
  return Math.floor((instant + offsetAt(instant, timeZone)) / DAY_MILLISECONDS)
}

/**
 * When the day begins in the time zone. Some days have 23 or 25 hours, so the offset of the night before can differ. If
 * the clocks skip midnight, the day begins an hour later.
 */
export function beginOf(day: number, timeZone: string): number {
  const midnight = day * DAY_MILLISECONDS
  const near = midnight - offsetAt(midnight, timeZone)
  const begin = midnight - offsetAt(near, timeZone)
  return dayAt(begin, timeZone) < day ? near : begin
}

export const nameOf = (day: number): string => new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10)

/** The offset of local clocks from UTC: `GMT`, or as in `GMT-00:25:21`. */
function offsetAt(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(instant)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  const ahead = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds)
  return (sign === '-' ? -ahead : ahead) * 1000
}
