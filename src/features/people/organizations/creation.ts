import { randomInt } from 'node:crypto'
import type { MemberTable, OrganizationTable } from '../../../database/schema/people/organizations.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Caller } from '../../../rules/caller.ts'
import { folded } from '../../../rules/folded.ts'
import { newId } from '../../../rules/ids.ts'
import { OWNER } from '../../../rules/permissions.ts'
import { changedData, NOTHING, refuseTooLarge } from '../../../rules/product-data.ts'
import { Refusal, signedOutMeanwhile } from '../../../rules/refusal.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { brandName } from '../../ground/settings/brand/brand.ts'
import { decideBySettings } from '../../ground/settings/deciding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import * as memberships from '../memberships/statements.ts'
import { lockedSessionOf } from '../sessions/sessions.ts'
import { activateOrganization } from '../sessions/statements.ts'
import { lockedUser } from '../users/statements.ts'
import type { Create } from './input.ts'
import { rolesIn } from './inside.ts'
import { countTriedSlug, isReserved } from './slugs.ts'
import { wireMember, wireOrganization } from './wire.ts'

const MOST_MEMBERSHIPS = 200

/** The caller becomes its owner, and it becomes the active one of their session. */
export async function createOrganization(call: SignedInCall, sent: Create) {
  const { platform, caller } = call
  const [now, id] = [platform.now(), newId()]
  const slug = sent.slug ?? newSlug(sent.name)
  const { logo = null, metadata = {} } = sent
  refuseTooLarge('metadata', metadata)
  if (sent.slug !== undefined) await countTriedSlug(call)
  const data = changedData(undefined, { own: metadata }, 'replaced').row
  const row = { ...newOrganization({ id, slug, name: sent.name, now }), ...data, logo }
  const member = {
    ...{ id: newId(), organization_id: id, user_id: caller.user.id, roles: OWNER },
    ...{ created_at: now, last_active_at: 0 },
  }
  if (!(await decideCreation(call, row, member, sent)))
    throw new Refusal('ORGANIZATION_ALREADY_EXISTS', 'This slug is taken.')
  return { ...wireOrganization(row), members: [wireMember(member)] }
}

/** Returns false if the slug is taken. */
function decideCreation(
  call: SignedInCall,
  row: OrganizationTable,
  member: MemberTable,
  { keepCurrentActiveOrganization, metadata = {} }: Create,
): Promise<boolean> {
  const { platform, caller } = call
  const { meta } = platform
  const { id, slug } = row
  const isSession = caller.credential.kind === 'session'
  const first = [
    lockedUser(meta, caller.user.id),
    isSession ? lockedSessionOf(meta, caller) : undefined,
    memberships.membershipsOf(meta, caller.user.id),
    memberships.namedBySlug(meta, slug),
    memberships.holderOfSlug(meta, slug),
  ] as const
  return decideBySettings(call, first, async (act, settings, [user], sessions, held, named, holders) => {
    if (!user || (isSession && sessions.length === 0)) throw signedOutMeanwhile()
    refuseCreation(caller, settings, held)
    if (isReserved(slug, brandName(platform.config, settings.brand))) return false
    if (named.length > 0 || (holders.length > 0 && caller.user.role !== 'administrator')) return false
    const [made] = await act.read([memberships.insertOrganization(meta, row)])
    if (made.length === 0) return false
    act.write(memberships.keepSlug(meta, slug, id), ...memberships.addMember(meta, member))
    if (isSession && !keepCurrentActiveOrganization) {
      const noted = memberships.noteActive(meta, user.id, id, row.created_at)
      act.write(activateOrganization(meta, caller.credential.id, id), noted)
    }
    recordCreation(act, row, member, user, Object.keys(metadata))
    return true
  })
}

function refuseCreation({ user }: Caller, { organizations }: Settings, held: readonly MemberTable[]): void {
  if (organizations.creation === 'administrator' && user.role !== 'administrator') throw notAllowed()
  const owned = held.filter((each) => rolesIn(each).includes(OWNER)).length
  refuseCrowd(held)
  if (owned >= organizations.owned_limit) throw tooMany()
}

/** A user is in no more organisations than that. */
export function refuseCrowd(held: readonly MemberTable[]): void {
  if (held.length >= MOST_MEMBERSHIPS) throw tooMany()
}

/** The organisation comes with its first owner. */
function recordCreation(
  act: Act,
  { id, slug, name }: OrganizationTable,
  member: MemberTable,
  user: UserTable,
  own: readonly string[],
): void {
  const about = { organizationId: id, user, subject: { type: 'organization', id } } as const
  act.record('organization.create', { ...about, details: { name, slug }, data: { id, slug, name } })
  const joined = { ...about, letter: undefined, details: { roles: [OWNER] } }
  act.record('member.add', { ...joined, data: { id: member.id, roles: [OWNER] } })
  if (own.length > 0) act.record('organization.data_updated', { ...about, user: undefined, data: { own } })
}

interface New {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly now: number
}

/** Without members, which are added in the same commit. */
export function newOrganization({ id, slug, name, now }: New): OrganizationTable {
  return {
    ...{ id, slug, name, folded_name: folded(name), logo: null, roles_token: '', seats: null },
    ...NOTHING,
    ...{ members: 0, owners: 0, status: 'ownerless', suspended_at: null, suspension_reason: null },
    ...{ created_at: now, updated_at: now },
  }
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'
const RANDOM_LETTERS = 6
const LONGEST_BEGINNING = 40

/** The name in plain letters, and some at random, so that the slug of a name cannot be guessed or taken. */
export function newSlug(name: string): string {
  const plain = folded(name).replaceAll(/[^a-z0-9]+/g, '-')
  const beginning = plain.slice(0, LONGEST_BEGINNING).replaceAll(/^-+|-+$/g, '') || 'org'
  const random = Array.from({ length: RANDOM_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${beginning}-${random}`
}

function notAllowed(): Refusal {
  return new Refusal(
    'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION',
    'Only the administrator creates organisations.',
  )
}

function tooMany(): Refusal {
  return new Refusal(
    'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
    'The user is in as many organisations as one can be.',
  )
}
