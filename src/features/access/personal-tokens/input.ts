import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { nameOf } from '../../../rules/names.ts'
import { type GrantedScope, isGrantedScope, isIdentityScope } from '../../../rules/scopes.ts'
import { Grant } from '../grants/input.ts'

/** Scopes of the API or the product; identity scopes are useless to a script. */
const TokenScope = z
  .string()
  .refine((text): text is GrantedScope => isGrantedScope(text) && !isIdentityScope(text), 'Unknown scope.')

export const NewPersonalToken = z.object({
  name: nameOf(100),
  scopes: z
    .array(TokenScope)
    .min(1)
    .max(64)
    .transform((scopes) => [...new Set(scopes)]),
  /** At most a year, so that a forgotten token expires. */
  expires_in_days: z.int().min(1).max(366),
  /** The organisation that the token acts in, for good; null for none. */
  organization_id: Id.nullable().default(null),
})
export type NewPersonalToken = z.output<typeof NewPersonalToken>

/** The token is shown here and never again. */
export const CreatedPersonalToken = z.object({ id: z.string(), token: z.string(), expires_at: z.int() })

const { id, scopes, status, created_at, last_used_at, expires_at } = Grant.shape
export const PersonalToken = z.object({
  ...{ id, name: z.string(), scopes, status },
  ...{ created_at, last_used_at, expires_at },
})
