import { type FileHandle, open } from 'node:fs/promises'
import { z } from 'zod'
import type { IncomingUser } from '../../features/people/account/importing.ts'
import type { Platform } from '../../platform/platform.ts'
import { Email } from '../../rules/email.ts'
import { newId } from '../../rules/ids.ts'
import type { TransferProgress } from '../transfer/export.ts'
import { linesIn } from '../transfer/text-file.ts'
import { type Found, type Imported, importAtOnce, type PlaceInFile } from './at-once.ts'
import { ForeignId, Name, Time } from './fields.ts'
import { canBeChecked, UNSUPPORTED_HASH } from './password-hashes.ts'
import { placeOf, shownIn, whyUnreadable } from './unreadable.ts'

/** One line of `gatehouse import --from users`. */
const UserInFile = z.object({
  email: Email,
  id: ForeignId.nullish(),
  email_verified: z.boolean().nullish(),
  name: Name.nullish(),
  image: z.string().nullish(),
  password_hash: z.string().max(1_024).nullish(),
  created_at: Time.nullish(),
  suspended: z.boolean().nullish(),
})

/** `who` says where it is. */
interface Sent {
  readonly who: string
  readonly line: number
  readonly user: unknown
}

export async function importUsersFile(platform: Platform, file: string, progress: TransferProgress): Promise<Imported> {
  await using handle = await open(file)
  // A pipe can be read only once.
  const kept = (await handle.stat()).isFile() ? undefined : await allOf(usersIn(handle, file))
  // Reads to the end before the first import, so that a file in another encoding is refused as a whole.
  const total = kept?.length ?? (await countOf(usersIn(handle, file)))
  const found = foundIn(platform, kept ?? usersIn(handle, file))
  return await importAtOnce(platform, found, (done) => progress(done, total))
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of items) count++
  return count
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
): Promise<Imported> {
  const sent = users.map((user, at) => ({ who: `user ${at + 1}`, line: at + 1, user }))
  return importAtOnce(platform, foundIn(platform, sent), progress)
}

async function* foundIn(platform: Platform, sent: Iterable<Sent> | AsyncIterable<Sent>): AsyncGenerator<Found> {
  for await (const { who, line, user } of sent) {
    const parsed = UserInFile.safeParse(user)
    const place = placeOf(line, user)
    yield parsed.success ? found(platform, place, parsed.data) : unreadable(who, place, user, parsed.error)
  }
}

function unreadable(who: string, place: PlaceInFile, user: unknown, error: z.ZodError): Found {
  const shown = shownIn(user)
  return { who: shown === undefined ? who : `${who} (${shown})`, place, why: whyUnreadable(user, error) }
}

function found(platform: Platform, place: PlaceInFile, user: z.output<typeof UserInFile>): Found {
  const who = user.email
  // Supabase Auth has an empty text for a user who signs in with a provider.
  const password_hash = user.password_hash || null
  if (password_hash !== null && !canBeChecked(platform, password_hash)) return { who, place, why: UNSUPPORTED_HASH }
  const id = user.id ?? newId()
  const incoming: IncomingUser = {
    id,
    email: user.email,
    name: user.name ?? '',
    emailVerified: user.email_verified ?? false,
    image: user.image ?? null,
    createdAt: user.created_at ?? platform.now(),
    isSuspended: user.suspended ?? false,
    accounts: [{ provider: 'credential', issuer: '', provider_account_id: id, password_hash }],
  }
  return { who, place, incoming }
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
