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

/** When the day begins there. Days of 23 and 25 hours exist, so the offset of the night before can be another. */
export function beginOf(day: number, timeZone: string): number {
  const midnight = day * DAY_MILLISECONDS
  const near = midnight - offsetAt(midnight, timeZone)
  return midnight - offsetAt(near, timeZone)
}

export const nameOf = (day: number): string => new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10)

/** How far the clocks there are ahead of UTC. */
function offsetAt(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(instant)
  const [year, month, day, hour, minute, second] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map((type) => Number(parts.find((part) => part.type === type)?.value)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const wholeSeconds = Math.floor(instant / 1000) * 1000
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSeconds
}
