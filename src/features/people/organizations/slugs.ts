import { ConstraintViolation } from '../../../database/store.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { folded } from '../../../rules/folded.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { brandName } from '../../ground/settings/brand/brand.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { holderOfSlug, namedBySlug } from '../memberships/statements.ts'

const RESERVED = ['www', 'api', 'app', 'admin', 'login', 'support', 'help', 'status', 'mail']

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What could pass for the service itself, or for another organisation: products name one by its id or its slug. */
export function isReserved(slug: string, brand: string): boolean {
  return UUID.test(slug) || RESERVED.includes(slug) || plain(slug) === plain(brand)
}

function plain(name: string): string {
  return folded(name).replaceAll(/[^a-z0-9]/g, '')
}

/** The route counts each call, because the answers to many of them would list the organisations. */
export async function checkSlug(call: SignedInCall, { slug }: { readonly slug: string }) {
  const { platform, caller } = call
  const { meta } = platform
  const { brand } = await settingsOf(call)
  const [present, ever] = await meta.snapshot([namedBySlug(meta, slug), holderOfSlug(meta, slug)], 'primary')
  const isFree = present.length === 0 && (ever.length === 0 || caller.user.role === 'administrator')
  if (!isFree || isReserved(slug, brandName(platform.config, brand))) {
    throw new Refusal('ORGANIZATION_SLUG_ALREADY_TAKEN', 'This slug is taken.')
  }
  return { status: true as const }
}

/** Handler for `catch`: undefined if another organisation took the slug at the same moment. */
export function undefinedIfSlugTaken(error: unknown): undefined {
  if (error instanceof ConstraintViolation && error.kind === 'unique' && error.table === 'organization')
    return undefined
  throw error
}

/** Trying to take a slug tells as much as checking it, and a free one that is taken is gone for everybody else. */
export function countTriedSlug(call: SignedInCall): Promise<void> {
  return countCall(call, 'slug-checks')
}
