import { type FileHandle, open } from 'node:fs/promises'
import { z } from 'zod'
import type { IncomingUser } from '../../features/people/account/importing.ts'
import type { Platform } from '../../platform/platform.ts'
import { Email } from '../../rules/email.ts'
import { newId } from '../../rules/ids.ts'
import { onOneLine } from '../../rules/one-line.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { TransferProgress } from '../transfer/export.ts'
import { linesIn } from '../transfer/text-file.ts'
import { AccountInFile, matchedAccounts } from './accounts.ts'
import { adding, type Found, type Imported, importAtOnce, type PlaceInFile } from './at-once.ts'
import { DataOfUser, ForeignId, Name, Time } from './fields.ts'
import { kindOf, type Lines, membersIn, organizationsIn, unknownFieldsOf } from './organization-lines.ts'
import { importOrganizations, withOrganizations } from './organizations.ts'
import { canBeChecked, UNSUPPORTED_HASH, withSealedKey } from './password-hashes.ts'
import { placeOf, shownIn, whyUnreadable } from './unreadable.ts'

/** One line of `gatehouse import --from users`. */
const UserInFile = z.object({
  email: Email,
  id: ForeignId.nullish(),
  email_verified: z.boolean().nullish(),
  name: Name.nullish(),
  image: z.string().nullish(),
  password_hash: z.string().max(2_048).nullish(),
  created_at: Time.nullish(),
  suspended: z.boolean().nullish(),
  data: DataOfUser.nullish(),
  accounts: z.array(AccountInFile).max(20).nullish(),
})

export interface How {
  /** Finds out who could be added, and writes nothing. */
  readonly isDry?: boolean
  /** Fields that are not ours are counted instead of refused. */
  readonly ignoresUnknown?: boolean
}

/** `who` says where it is. */
interface Sent {
  readonly who: string
  readonly line: number
  readonly user: unknown
}

export async function importUsersFile(
  platform: Platform,
  file: string,
  progress: TransferProgress,
  how: How = {},
): Promise<Imported> {
  await using handle = await open(file)
  // A pipe can be read only once.
  const kept = (await handle.stat()).isFile() ? undefined : await allOf(usersIn(handle, file))
  // Reads to the end before the first import, so that a file in another encoding or form is refused as a whole.
  const total = await countOf(kept ?? usersIn(handle, file), how)
  const lines = () => kept ?? usersIn(handle, file)
  const isDry = how.isDry === true
  const found = foundIn(platform, usersAmong(lines()))
  const users = await importAtOnce(adding(platform, isDry), found, (done) => progress(done, total))
  const organizations = organizationsIn(lines(), platform.now)
  return withOrganizations(users, await importOrganizations(platform, organizations, membersIn(lines()), isDry))
}

async function* usersAmong(lines: Lines): AsyncGenerator<Sent> {
  for await (const line of lines) if (kindOf(line.user) === undefined) yield line
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function countOf(users: Iterable<Sent> | AsyncIterable<Sent>, { ignoresUnknown }: How): Promise<number> {
  let count = 0
  for await (const { who, user } of users) {
    count++
    const [unknown] = ignoresUnknown ? [] : unknownFields(user)
    if (unknown !== undefined)
      throw new OperatorError(
        `${who} has the field "${onOneLine(unknown)}", which an import does not know; --ignore-unknown leaves such fields out. Nothing was imported`,
      )
  }
  return count
}

/** By name, in a user and in its accounts. */
function unknownFields(user: unknown): readonly string[] {
  if (typeof user !== 'object' || user === null) return []
  const kind = kindOf(user)
  if (kind) return unknownFieldsOf(kind, user)
  const accounts: unknown = Reflect.get(user, 'accounts')
  const ofAccounts = (Array.isArray(accounts) ? accounts : []).flatMap((account) => Object.keys(Object(account)))
  return [
    ...Object.keys(user).filter((name) => !(name in UserInFile.shape)),
    ...ofAccounts.filter((name) => !(name in AccountInFile.shape)).map((name) => `accounts.${name}`),
  ]
}

/** Without what `--ignore-unknown` leaves out. */
function known(user: unknown): unknown {
  if (typeof user !== 'object' || user === null) return user
  const accounts: unknown = Reflect.get(user, 'accounts')
  if (!Array.isArray(accounts)) return user
  const ours = (account: unknown) =>
    typeof account === 'object' && account !== null
      ? Object.fromEntries(Object.entries(account).filter(([name]) => name in AccountInFile.shape))
      : account
  return { ...user, accounts: accounts.map(ours) }
}

async function* usersIn(handle: FileHandle, file: string): AsyncGenerator<Sent> {
  let number = 0
  for await (const line of linesIn(handle, file)) {
    number++
    if (line.trim() !== '') yield { who: `line ${number}`, line: number, user: readLine(line) }
  }
}

/** Users who cannot be imported are named, and the others are imported. */
export function importUsers(
  platform: Platform,
  users: readonly unknown[],
  progress: (done: number) => void,
  how: How = {},
): Promise<Imported> {
  const sent = users.map((user, at) => ({ who: `user ${at + 1}`, line: at + 1, user }))
  return importAtOnce(adding(platform, how.isDry === true), foundIn(platform, sent), progress)
}

async function* foundIn(platform: Platform, sent: Iterable<Sent> | AsyncIterable<Sent>): AsyncGenerator<Found> {
  for await (const { who, line, user } of sent) {
    const parsed = UserInFile.safeParse(known(user))
    const place = placeOf(line, user)
    yield parsed.success
      ? found(platform, place, parsed.data, unknownFields(user))
      : unreadable(who, place, user, parsed.error)
  }
}

function unreadable(who: string, place: PlaceInFile, user: unknown, error: z.ZodError): Found {
  const shown = shownIn(user)
  return { who: shown === undefined ? who : `${who} (${shown})`, place, why: whyUnreadable(user, error) }
}

function found(
  platform: Platform,
  place: PlaceInFile,
  user: z.output<typeof UserInFile>,
  unknown: readonly string[],
): Found {
  const who = user.email
  // Supabase Auth has an empty text for a user who signs in with a provider.
  const password_hash = user.password_hash ? withSealedKey(platform, user.password_hash) : null
  if (password_hash !== null && !canBeChecked(platform, password_hash)) return { who, place, why: UNSUPPORTED_HASH }
  const id = user.id ?? newId()
  const { accounts, notTaken } = matchedAccounts(platform.config, user.accounts ?? [])
  const incoming: IncomingUser = {
    id,
    email: user.email,
    name: user.name ?? '',
    emailVerified: user.email_verified ?? false,
    image: user.image ?? null,
    createdAt: user.created_at ?? platform.now(),
    isSuspended: user.suspended ?? false,
    data: user.data ?? undefined,
    accounts: [{ provider: 'credential', issuer: '', provider_account_id: id, password_hash }, ...accounts],
  }
  return { who, place, incoming, notTaken: [...notTaken, ...unknown] }
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
