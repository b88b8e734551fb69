import { z } from 'zod'
import { EVENT_TYPES } from '../../rules/event-types.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { Mirrored } from './tables.ts'

/** What a mirror reads: Gatehouse, on this host or through a connection. */
export interface Source {
  /** False if the connection lacks the scope for organisations. */
  readonly hasOrganizations: boolean
  readonly feedEnd: () => Promise<string>
  readonly feed: (after: string, waitSeconds: number) => Promise<Feed>
  /** The rows as they are now, in the order of ids. */
  readonly read: (table: Mirrored, wanted: Wanted) => Promise<readonly Row[]>
}

export type Wanted = { readonly ids: readonly string[] } | { readonly after: string | undefined }

/** What a mirrored row can change with. Other things that a user does are not told. */
export const MIRRORED_EVENTS = EVENT_TYPES.filter((type) => /^(user|organization|member)\./.test(type))

export const ROWS_AT_ONCE = 1_000
export const EVENTS_AT_ONCE = 1_000

/** The source cannot be asked now, and may be later. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** The feed does not have the cursor. */
export class CursorLost extends Error {}

export const WITHOUT_ORGANIZATIONS =
  'organizations and members stay empty, because the connection lacks admin:organizations:read; connect again with it'

export function lacksOrganizations(): OperatorError {
  return new OperatorError(
    'this mirror has organisations, and the connection lacks admin:organizations:read; connect again with it',
  )
}

export const Feed = z.object({
  items: z.array(
    z.object({
      type: z.string(),
      occurred_at: z.int(),
      user_id: z.string().nullable(),
      organization_id: z.string().nullable(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  next: z.string().regex(/^\d{1,16}$/),
  gap: z.literal(true).optional(),
  current_at: z.int().optional(),
  now: z.int(),
})
export type Feed = z.output<typeof Feed>

/** PostgreSQL has no earlier time. */
const EARLIEST = Date.UTC(-4712, 0)
const Time = z
  .int()
  .nullable()
  .transform((time) => (time === null || time < EARLIEST ? null : time))

const ROWS = {
  users: z.object({
    ...{ id: z.string(), email: z.string(), email_verified: z.boolean(), name: z.string() },
    ...{ image: z.string().nullable(), role: z.string(), suspended_at: Time, created_at: Time, updated_at: Time },
    public: z.record(z.string(), z.unknown()),
  }),
  organizations: z.object({
    ...{ id: z.string(), slug: z.string(), name: z.string(), logo: z.string().nullable() },
    ...{ suspended_at: Time, created_at: Time, updated_at: Time },
    public: z.record(z.string(), z.unknown()),
  }),
  members: z.object({
    ...{ id: z.string(), organization_id: z.string(), user_id: z.string() },
    ...{ roles: z.array(z.string()), created_at: Time },
  }),
}

export interface Row {
  readonly id: string
}

/** Checks each row of what the address has sent, and changes it into one that PostgreSQL can keep. */
export function rowsOf(table: Mirrored, items: unknown): readonly Row[] {
  return z
    .array(ROWS[table])
    .parse(items)
    .map((row) => storable(row) as Row)
}

/** PostgreSQL has no NUL and no half of a surrogate pair; both become the character for what cannot be shown. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd')
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [storable(name), storable(each)]))
}
