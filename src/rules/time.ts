export const MINUTE_MILLISECONDS = 60_000
export const HOUR_MILLISECONDS = 60 * MINUTE_MILLISECONDS
export const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS

export const MINUTE_SECONDS = 60
export const HOUR_SECONDS = 60 * MINUTE_SECONDS
export const DAY_SECONDS = 24 * HOUR_SECONDS

/** Undefined if it takes longer. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), milliseconds)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const DAYS_KEPT = 4_000
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
const textOfDays = new Map<number, string>()

/**
 * A time as it is sent. A session check sends five: with the text of its day remembered, each costs a third of what
 * `toISOString` costs. Whole times are too many to remember.
 */
export function iso(milliseconds: number): string {
  const whole = Math.trunc(milliseconds)
  const day = Math.floor(whole / DAY_MILLISECONDS)
  const inDay = whole - day * DAY_MILLISECONDS
  const minutes = Math.floor(inDay / MINUTE_MILLISECONDS)
  const seconds = Math.floor(inDay / 1_000) % MINUTE_SECONDS
  const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds]}`
  return `${textOfDay(day)}T${time}.${String(inDay % 1_000).padStart(3, '0')}Z`
}

function textOfDay(day: number): string {
  const known = textOfDays.get(day)
  if (known !== undefined) return known
  if (textOfDays.size === DAYS_KEPT) textOfDays.clear()
  const text = new Date(day * DAY_MILLISECONDS).toISOString().slice(0, -'T00:00:00.000Z'.length)
  textOfDays.set(day, text)
  return text
}
