import type { IncomingUser } from '../../features/people/account/importing.ts'
import { importUser } from '../../features/people/account/importing.ts'
import type { Platform } from '../../platform/platform.ts'

/** A user's place in the file, in a form that a program can read. */
export interface PlaceInFile {
  /** Counted from 1; in a file without lines, the user's number. */
  readonly line: number
  readonly id: string | null
  readonly email: string | null
}

/** A user of another service, or why this one is left out. */
export type Found = { readonly who: string; readonly place: PlaceInFile } & (
  | { readonly incoming: IncomingUser }
  | { readonly why: string }
)

export interface Imported {
  readonly imported: number
  readonly skipped: readonly Skipped[]
}

export interface Skipped {
  readonly who: string
  readonly place: PlaceInFile
  readonly why: string
}

const EXISTS_HERE = 'the address or account already exists here'
const USERS_AT_ONCE = 50

/**
 * Users of one group are imported at once, so that they share commits; the next group begins when all of them are done.
 * The result is the same as importing them one after another.
 */
export async function importAtOnce(
  platform: Platform,
  users: Iterable<Found> | AsyncIterable<Found>,
  progress: (done: number) => void,
): Promise<Imported> {
  const skipped: Skipped[] = []
  let done = 0
  for await (const group of groupsOf(users)) {
    skipped.push(...(await importGroup(platform, group)))
    done += group.length
    progress(done)
  }
  return { imported: done - skipped.length, skipped }
}

/**
 * Consecutive users, no two with the same address, id or account: the first of two must exist before the second is
 * tried.
 */
async function* groupsOf(users: Iterable<Found> | AsyncIterable<Found>): AsyncGenerator<readonly Found[]> {
  let group: Found[] = []
  let taken = new Set<string>()
  for await (const user of users) {
    const keys = 'incoming' in user ? keysOf(user.incoming) : []
    if (group.length === USERS_AT_ONCE || keys.some((key) => taken.has(key))) {
      yield group
      group = []
      taken = new Set()
    }
    group.push(user)
    for (const key of keys) taken.add(key)
  }
  if (group.length > 0) yield group
}

function keysOf({ id, email, accounts }: IncomingUser): readonly string[] {
  const ofProviders = accounts.filter(({ provider }) => provider !== 'credential')
  return [
    `id ${id}`,
    `email ${email}`,
    ...ofProviders.map(({ provider, issuer, provider_account_id: id }) => `${provider} ${issuer} ${id}`),
  ]
}

/** Returns who was left out. Fails once all have ended, so that none is still being written. */
async function importGroup(platform: Platform, group: readonly Found[]): Promise<readonly Skipped[]> {
  const importing = group.map((user) => importOne(platform, user))
  await Promise.allSettled(importing)
  return (await Promise.all(importing)).filter((skipped) => skipped !== undefined)
}

async function importOne(platform: Platform, user: Found): Promise<Skipped | undefined> {
  const { who, place } = user
  if ('why' in user) return { who, place, why: user.why }
  return (await importUser(platform, user.incoming)) ? undefined : { who, place, why: EXISTS_HERE }
}
