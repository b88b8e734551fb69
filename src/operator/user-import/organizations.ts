import {
  type IncomingMember,
  type IncomingOrganization,
  importMember,
  importOrganization,
} from '../../features/people/organizations/importing.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Imported, Skipped } from './at-once.ts'

/** Something that was found at a place in the file, or why it is left out. */
export type Found<Incoming> = { readonly who: string; readonly line: number } & (
  | { readonly incoming: Incoming }
  | { readonly why: string }
)

interface ImportedOrganizations {
  readonly organizations: number
  readonly members: number
  readonly skipped: readonly Skipped[]
}

const AT_ONCE = 50

/** The result of both. Organisations and members that are left out are named like users. */
export function withOrganizations(
  users: Imported,
  { organizations, members, skipped }: ImportedOrganizations,
): Imported {
  if (organizations + members + skipped.length === 0) return users
  return { ...users, skipped: [...users.skipped, ...skipped], inOrganizations: { organizations, members } }
}

/** Organisations first, since their members name them. Those of one group share commits. */
export async function importOrganizations(
  platform: Platform,
  organizations: Iterable<Found<IncomingOrganization>> | AsyncIterable<Found<IncomingOrganization>>,
  members: Iterable<Found<IncomingMember>> | AsyncIterable<Found<IncomingMember>>,
  isDry: boolean,
): Promise<ImportedOrganizations> {
  const ofOrganizations = await addAll(organizations, async (incoming) => {
    if (isDry || (await importOrganization(platform, incoming))) return undefined
    return 'the id or the slug is taken here'
  })
  const ofMembers = await addAll(members, (incoming) =>
    isDry ? Promise.resolve(undefined) : importMember(platform, incoming),
  )
  return {
    organizations: ofOrganizations.added,
    members: ofMembers.added,
    skipped: [...ofOrganizations.skipped, ...ofMembers.skipped],
  }
}

async function addAll<Incoming>(
  found: Iterable<Found<Incoming>> | AsyncIterable<Found<Incoming>>,
  add: (incoming: Incoming) => Promise<string | undefined>,
) {
  const skipped: Skipped[] = []
  let added = 0
  const addGroup = async (group: readonly Found<Incoming>[]) => {
    const reasons = await Promise.all(group.map((each) => ('why' in each ? each.why : add(each.incoming))))
    for (const [at, { who, line }] of group.entries()) {
      const why = reasons[at]
      if (why === undefined) added++
      else skipped.push({ who, place: { line, id: null, email: null }, why })
    }
  }
  const group: Found<Incoming>[] = []
  for await (const each of found) {
    group.push(each)
    if (group.length === AT_ONCE) await addGroup(group.splice(0))
  }
  await addGroup(group)
  return { added, skipped }
}
