import { type RawBuilder, sql } from 'kysely'

/** What `admin/find` can answer with. A token's id is that of its grant. */
export const FOUND_KINDS = [
  'user',
  'session',
  'trusted_device',
  'pending_sign_in',
  'passkey',
  'approval',
  'access_token',
  'refresh_token',
  'personal_token',
  'connection',
  'authorization_code',
  'device_code',
  'authorization_request',
  'application',
  'application_secret',
  'product_scope',
  'webhook',
  'delivery',
  'notification',
  'feedback',
  'credit_entry',
  'beta_code',
  'audit_entry',
  'shard',
] as const

export type FoundKind = (typeof FOUND_KINDS)[number]

/** What `admin/find` reads of a row, whatever its table is. */
export interface FoundRow {
  readonly kind: FoundKind
  readonly id: string
  readonly title: string | null
  readonly owner_id: string | null
  /** Separated by spaces. */
  readonly scopes: string | null
  readonly last_used_at: number | null
}

const NOTHING: RawBuilder<null> = sql`null`

/** The kind, and null for what such a row never has. */
export function foundAs<const Absent extends 'owner_id' | 'scopes' | 'last_used_at'>(
  kind: FoundKind,
  ...absent: readonly Absent[]
) {
  return [sql.lit(kind).as('kind'), ...absent.map((name) => NOTHING.as(name))] as const
}
