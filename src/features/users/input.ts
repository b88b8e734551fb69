import { z } from 'zod'
import { CreatedRange, listOf, Page } from '../../rules/paging.ts'

const Role = z.enum(['user', 'administrator'])

export const ListUsers = z.object({
  /** Part of the address or name, or a whole id. */
  search: z.string().max(254).optional(),
  ...CreatedRange.shape,
  ...Page.shape,
})
export type ListUsers = z.output<typeof ListUsers>

export const User = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  image: z.string().nullable(),
  role: Role,
  aff_code: z.string(),
  registration_utm_source: z.string().nullable(),
  shard_id: z.string().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
})
export const Users = listOf(User)
