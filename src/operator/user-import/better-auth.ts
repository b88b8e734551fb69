import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import type { Provider } from '../../database/schema/people/account.ts'
import type { IncomingAccount, IncomingUser } from '../../features/people/account/importing.ts'
import { communityName, synthetic } from '../../features/people/account/providers/address.ts'
import { configuredIssuer } from '../../features/people/account/providers/issuers.ts'
import type { Platform } from '../../platform/platform.ts'
import { Email, isSynthetic } from '../../rules/email.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { TransferProgress } from '../transfer/export.ts'
import { type Found, type Imported, importAtOnce } from './at-once.ts'
import { ForeignId, Name, Time } from './fields.ts'
import { canBeChecked, UNSUPPORTED_HASH } from './password-hashes.ts'
import { placeOf, shownIn } from './unreadable.ts'

const Truth = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1)

const TheirAccount = z.object({
  /** The longest id a provider can have for a user. */
  accountId: z.string().regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u),
  providerId: z.string(),
  password: z.string().nullable(),
})
type TheirAccount = z.output<typeof TheirAccount>

const TheirUser = z.object({
  id: ForeignId,
  name: Name,
  email: Email,
  emailVerified: Truth,
  image: z.string().nullable(),
  createdAt: Time,
  /** Columns of its `admin` plugin. */
  banned: Truth.nullish(),
  banExpires: Time.nullish(),
  accounts: z.array(TheirAccount),
})

type Row = Readonly<Record<string, SQLOutputValue>>

/**
 * Users with their accounts. Sessions and pending codes are not imported: their tokens are stored there in
 * plain text and must not be trusted here.
 */
export async function importBetterAuth(
  platform: Platform,
  file: string,
  progress: TransferProgress,
): Promise<Imported> {
  using theirs = openTheirs(file)
  const total = Number(theirs.prepare('select count(*) as users from "user"').get()?.users)
  return await importAtOnce(platform, usersOf(platform, theirs), (done) => progress(done, total))
}

function* usersOf(platform: Platform, theirs: DatabaseSync): Generator<Found> {
  let line = 0
  for (const row of rowsOf(theirs, 'select * from "user" order by id')) {
    const place = placeOf(++line, row)
    yield { who: shownIn(row) ?? 'a user without an address', place, ...found(platform, theirs, row) }
  }
}

/** Read as `bigint`, because a number that is too large for JavaScript would otherwise be an error. */
function* rowsOf(theirs: DatabaseSync, sql: string, ...values: SQLOutputValue[]): Generator<Row> {
  const statement = theirs.prepare(sql)
  statement.setReadBigInts(true)
  for (const row of statement.iterate(...values))
    yield Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
    )
}

function openTheirs(file: string): DatabaseSync {
  const { database, tables } = opened(file)
  const missing = ['user', 'account', 'session', 'verification'].find(
    (name) => !tables.some((table) => table.name === name),
  )
  if (missing !== undefined)
    throw new OperatorError(`${file} has no table ${missing}; is it a database of better-auth?`)
  refuseOtherColumns(file, database)
  return database
}

/** Adapters for other libraries can use different names. */
function refuseOtherColumns(file: string, database: DatabaseSync): void {
  try {
    database.prepare('select id, name, email, "emailVerified", image, "createdAt" from "user"')
    database.prepare('select "userId", "accountId", "providerId", password, "createdAt" from account')
  } catch (cause) {
    throw new OperatorError(
      `${file} has other names for its columns than better-auth; export the users as JSON, and import them with \`--from users\``,
      { cause },
    )
  }
}

function opened(file: string) {
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
    return { database, tables }
  } catch (error) {
    throw new OperatorError(`${file} cannot be read; is it a SQLite database?`, { cause: error })
  }
}

function found(platform: Platform, theirs: DatabaseSync, row: Row) {
  const sql = 'select * from account where "userId" = ? order by "createdAt"'
  const user = TheirUser.safeParse({ ...row, accounts: [...rowsOf(theirs, sql, row.id ?? null)] })
  if (!user.success)
    return { why: `its ${user.error.issues.map(({ path }) => path.join('.')).join(', ')} is malformed` }
  const { banned, banExpires, accounts, ...facts } = user.data
  if (accounts.some(({ password }) => password && !canBeChecked(platform, password))) return { why: UNSUPPORTED_HASH }
  const known = accounts.flatMap((account) => accountOf(platform.config, facts.id, account))
  const incoming: IncomingUser = {
    ...facts,
    email: addressIn(facts.email, known),
    isSuspended: banned === true && (banExpires ?? Number.POSITIVE_INFINITY) > platform.now(),
    accounts: known,
  }
  return { incoming }
}

/** Members of the community had addresses made of their ids, capitals and all. */
function addressIn(email: string, accounts: readonly IncomingAccount[]): string {
  const member = accounts.find(({ provider }) => provider === 'community')
  return member && isSynthetic(email) ? synthetic(communityName(member.provider_account_id)).email : email
}

function accountOf(
  config: Config,
  userId: string,
  { providerId, accountId, password }: TheirAccount,
): readonly IncomingAccount[] {
  const provider = providerOf(config, providerId)
  if (provider === undefined) return []
  const issuer = configuredIssuer(config, provider)
  const provider_account_id = provider === 'credential' ? userId : accountId
  return [{ provider, issuer, provider_account_id, password_hash: password || null }]
}

/** Matched by the preset that this deployment has for each provider. */
function providerOf({ providerA, providerB }: Config, theirs: string): Provider | undefined {
  if (theirs === 'credential' || theirs === 'community') return theirs
  if (providerA.split(':')[0] === theirs) return 'provider_a'
  return providerB.split(':')[0] === theirs ? 'provider_b' : undefined
}
