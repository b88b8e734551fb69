import type { IncomingAccount, IncomingUser } from '../../features/people/account/importing.ts'
import { importUser, isTaken } from '../../features/people/account/importing.ts'
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
  | {
      readonly incoming: IncomingUser
      /** What the user had elsewhere and does not get here, in words that can be counted. */
      readonly notTaken?: readonly string[]
    }
  | { readonly why: string }
)

export interface Imported {
  readonly imported: number
  /** Accounts at providers. */
  readonly accounts: number
  readonly passwords: number
  /** Undefined if there are none. */
  readonly inOrganizations?: { readonly organizations: number; readonly members: number } | undefined
  /** How often, for each thing that imported users had and do not get here. */
  readonly notTaken: ReadonlyMap<string, number>
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
  add: AddUser,
  users: Iterable<Found> | AsyncIterable<Found>,
  progress: (done: number) => void,
): Promise<Imported> {
  const count = { accounts: 0, passwords: 0, done: 0 }
  const notTaken = new Map<string, number>()
  const skipped: Skipped[] = []
  for await (const group of groupsOf(users)) {
    const outcomes = await importGroup(add, group)
    for (const [at, user] of group.entries()) {
      const outcome = outcomes[at]
      if (outcome) skipped.push(outcome)
      else if ('incoming' in user) {
        const { accounts } = user.incoming
        count.accounts += accounts.filter(isAtProvider).length
        count.passwords += accounts.filter(({ password_hash }) => password_hash !== null).length
        for (const what of user.notTaken ?? []) notTaken.set(what, (notTaken.get(what) ?? 0) + 1)
      }
    }
    count.done += group.length
    progress(count.done)
  }
  const { done, accounts, passwords } = count
  return { imported: done - skipped.length, accounts, passwords, notTaken, skipped }
}

/** Returns false if the address, the id or an account is taken. */
export type AddUser = (incoming: IncomingUser) => Promise<boolean>

/** Adds the users; in a dry run, only finds out who could not be added. */
export function adding(platform: Platform, isDry: boolean): AddUser {
  if (!isDry) return (incoming) => importUser(platform, incoming)
  const seen = new Set<string>()
  return async (incoming) => {
    const keys = keysOf(incoming)
    if (keys.some((key) => seen.has(key)) || (await isTaken(platform, incoming))) return false
    for (const key of keys) seen.add(key)
    return true
  }
}

function isAtProvider({ provider }: IncomingAccount): boolean {
  return provider !== 'credential'
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
  const ofProviders = accounts.filter(isAtProvider)
  return [
    `id ${id}`,
    `email ${email}`,
    ...ofProviders.map(({ provider, issuer, provider_account_id: id }) => `${provider} ${issuer} ${id}`),
  ]
}

/** Returns in their order who was left out. Fails once all have ended, so that none is still being written. */
async function importGroup(add: AddUser, group: readonly Found[]): Promise<readonly (Skipped | undefined)[]> {
  const importing = group.map((user) => importOne(add, user))
  await Promise.allSettled(importing)
  return Promise.all(importing)
}

async function importOne(add: AddUser, user: Found): Promise<Skipped | undefined> {
  const { who, place } = user
  if ('why' in user) return { who, place, why: user.why }
  return (await add(user.incoming)) ? undefined : { who, place, why: EXISTS_HERE }
}
