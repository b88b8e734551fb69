import { z } from 'zod'
import { DAY_MILLISECONDS } from './time.ts'

/** The input of every list: pages count from 1. */
export const Page = z.object({
  page: z.int().min(1).default(1),
  page_size: z.int().min(1).max(100).default(20),
})
export type Page = z.output<typeof Page>

/** The order by creation time. */
export const InOrder = z.object({ order: z.enum(['newest', 'oldest']).default('newest') })
export type Order = z.output<typeof InOrder>['order']

export function directionOf(order: Order): 'asc' | 'desc' {
  return order === 'newest' ? 'desc' : 'asc'
}

/** The output of every list; `total` does not depend on the page. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), total: z.int().min(0) })
}

export interface Slice {
  readonly offset: number
  readonly limit: number
}

export function sliceOf({ page, page_size }: Page): Slice {
  return { offset: (page - 1) * page_size, limit: page_size }
}

/** One page of a list that is short enough to be read whole. */
export function pageOf<Row>(rows: readonly Row[], page: Page) {
  const { offset, limit } = sliceOf(page)
  return { items: rows.slice(offset, offset + limit), total: rows.length }
}

const Instant = z.iso.datetime({ offset: true, local: true })
/** `Instant` takes a time without seconds only without a time zone. */
const Minute = z.iso.datetime({ offset: true, precision: -1 })
const Day = z.iso.date()

/** Both ends are inclusive; a date alone means the whole day in UTC. */
export const RangeStart = timeWithin(0).optional()
export const RangeEnd = timeWithin(DAY_MILLISECONDS - 1).optional()
export const CreatedRange = z.object({ created_at_start: RangeStart, created_at_end: RangeEnd })
export type CreatedRange = z.output<typeof CreatedRange>

function timeWithin(dayOffsetMilliseconds: number) {
  return z
    .union([z.int(), Instant, Minute, Day], { error: 'Expected epoch milliseconds or an ISO 8601 time.' })
    .transform((time) => {
      if (typeof time === 'number') return time
      if (Day.safeParse(time).success) return Date.parse(time) + dayOffsetMilliseconds
      return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`)
    })
}
