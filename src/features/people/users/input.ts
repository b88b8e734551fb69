import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { CreatedRange, Page, RangeEnd, RangeStart } from '../../../rules/paging.ts'

export const ListUsers = z.object({
  /** Words in any order, each a part of the name, the address or the id, ignoring case and accents. */
  search: z.string().max(254).optional(),
  /** `first`: a search for something common reads only the first users of the list. */
  search_among: z.enum(['all', 'first']).optional(),
  status: z.enum(['active', 'unverified', 'suspended']).optional(),
  factor: z.enum(['none', 'app', 'passkey']).optional(),
  last_sign_in_start: RangeStart,
  last_sign_in_end: RangeEnd,
  never_signed_in: z.boolean().optional(),
  /** Selects users whose data is in this shard. */
  shard_id: Id.optional(),
  /** `last_sign_in`: the latest first. */
  order: z.enum(['newest', 'oldest', 'email', 'last_sign_in']).default('newest'),
  ...CreatedRange.shape,
  ...Page.shape,
})
/** The people of a list of users, whatever its order. */
export const Audience = ListUsers.omit({ search_among: true, order: true, page: true, page_size: true })
export type Audience = z.output<typeof Audience>
export type ListUsers = z.output<typeof ListUsers>
