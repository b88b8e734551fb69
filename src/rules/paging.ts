import { z } from 'zod'
import { Id } from './ids.ts'
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

const MOST_READ = 1_000

/** Rows for a copy that a product keeps: those of `ids`, or the next after an id; the first ones without either. */
export const ReadById = z
  .object({
    ids: z.array(Id).min(1).max(MOST_READ).optional(),
    after: Id.optional(),
    limit: z.int().min(1).max(MOST_READ).default(MOST_READ),
  })
  .refine(({ ids, after }) => ids === undefined || after === undefined, {
    path: ['after'],
    message: 'Send ids or after, not both.',
  })
export type ReadById = z.output<typeof ReadById>

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

/** Epoch milliseconds, or a time in ISO 8601; without a zone it is UTC. */
export const Moment = timeWithin(0)

function timeWithin(dayOffsetMilliseconds: number) {
  return z
    .union([z.int(), Instant, Minute, Day], { error: 'Expected epoch milliseconds or an ISO 8601 time.' })
    .transform((time) => {
      if (typeof time === 'number') return time
      if (Day.safeParse(time).success) return Date.parse(time) + dayOffsetMilliseconds
      return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`)
    })
}
