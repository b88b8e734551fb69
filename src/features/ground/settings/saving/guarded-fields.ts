import { isDeepStrictEqual } from 'node:util'
import type { UpdateBrand } from '../brand/input.ts'
import type { UpdateAuthentication, UpdateEmail } from '../input.ts'
import type { Part } from '../model.ts'
import { isKept } from './saving.ts'

/**
 * Fields that decide where letters and browsers are sent, and who can sign in as whom: a program that could change them
 * could take over accounts, so only a fresh session of the administrator can. `docs/security.md` judges the other
 * fields.
 */
const GUARDED: { readonly [P in Part]?: readonly string[] } = {
  authentication: [
    'provider_a_enabled',
    'provider_a_client_id',
    'provider_a_client_secret',
    'provider_b_enabled',
    'provider_b_client_id',
    'provider_b_client_secret',
    'community_enabled',
    'community_client_id',
    'community_client_secret',
    'email_verification_required',
    'second_factor',
  ] satisfies readonly (keyof UpdateAuthentication)[],
  email: [
    'provider',
    'api_key',
    'smtp_host',
    'smtp_port',
    'smtp_user',
    'smtp_password',
  ] satisfies readonly (keyof UpdateEmail)[],
  brand: ['return_origins'] satisfies readonly (keyof UpdateBrand)[],
}

interface Sent {
  readonly expected_version: number
}

/** The guarded fields that a save sends. */
export function guardedValues(part: Part, sent: Sent): readonly (readonly [string, unknown])[] {
  const guarded = GUARDED[part] ?? []
  return Object.entries(sent).filter(
    ([field, value]) => guarded.includes(field) && value !== undefined && !isKept(value),
  )
}

/**
 * True if one of these would change. A secret that is sent always does: comparing it would help a guesser. So does
 * every value that is sent for another version than the present one, since the save comes later.
 */
export function wouldChange(
  guarded: ReturnType<typeof guardedValues>,
  { expected_version }: Sent,
  present: { readonly version: number },
): boolean {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(present))
  return guarded.some(
    ([field, value]) => expected_version !== present.version || !isDeepStrictEqual(value, values.get(field)),
  )
}
