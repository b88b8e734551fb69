import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import type { IncomingAccount, IncomingUser } from '../../features/people/account/importing.ts'
import { communityName, synthetic } from '../../features/people/account/providers/address.ts'
import { configuredIssuer } from '../../features/people/account/providers/issuers.ts'
import type { Platform } from '../../platform/platform.ts'
import { Email, isSynthetic } from '../../rules/email.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { TransferProgress } from '../transfer/export.ts'
import { AccountId, matchedAccounts } from './accounts.ts'
import { adding, type Found, type Imported, importAtOnce } from './at-once.ts'
import { membersOf, organizationsOf, type Theirs } from './better-auth-organizations.ts'
import { ForeignId, Name, Time } from './fields.ts'
import { importOrganizations, withOrganizations } from './organizations.ts'
import { canBeChecked, UNSUPPORTED_HASH } from './password-hashes.ts'
import { placeOf, shownIn } from './unreadable.ts'
import type { How } from './users-file.ts'

const Truth = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1)

const TheirAccount = z.object({
  accountId: AccountId,
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
  how: How = {},
): Promise<Imported> {
  using theirs = openTheirs(file)
  const total = Number(theirs.prepare('select count(*) as users from "user"').get()?.users)
  const isDry = how.isDry === true
  const users = await importAtOnce(adding(platform, isDry), usersOf(platform, theirs), (done) => progress(done, total))
  const theirOwn = pluginOf(theirs)
  const others = await importOrganizations(platform, organizationsOf(theirOwn), membersOf(theirOwn), isDry)
  return withOrganizations(users, others)
}

function pluginOf(theirs: DatabaseSync): Theirs {
  const tables = theirs.prepare("select name from sqlite_schema where type = 'table'").all()
  const names = new Set(tables.map(({ name }) => name))
  return { has: (table) => names.has(table), rows: (sql, ...values) => rowsOf(theirs, sql, ...values) }
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
  const { accounts: known, notTaken } = accountsOf(platform.config, facts.id, accounts)
  const incoming: IncomingUser = {
    ...facts,
    email: addressIn(facts.email, known),
    isSuspended: banned === true && (banExpires ?? Number.POSITIVE_INFINITY) > platform.now(),
    accounts: known,
  }
  return { incoming, notTaken: [...notTaken, ...factorsOf(theirs, facts.id)] }
}

/** Members of the community had addresses made of their ids, capitals and all. */
function addressIn(email: string, accounts: readonly IncomingAccount[]): string {
  const member = accounts.find(({ provider }) => provider === 'community')
  return member && isSynthetic(email) ? synthetic(communityName(member.provider_account_id)).email : email
}

/** The community has the same name there, and its members keep their accounts until it is configured here. */
function accountsOf(config: Config, userId: string, theirs: readonly TheirAccount[]) {
  const own = theirs.flatMap(({ providerId: provider, accountId, password }): readonly IncomingAccount[] => {
    if (provider !== 'credential' && provider !== 'community') return []
    const provider_account_id = provider === 'credential' ? userId : accountId
    return [
      { provider, issuer: configuredIssuer(config, provider), provider_account_id, password_hash: password || null },
    ]
  })
  const others = theirs.filter(({ providerId }) => providerId !== 'credential' && providerId !== 'community')
  const { accounts, notTaken } = matchedAccounts(
    config,
    others.map(({ providerId, accountId }) => ({ provider: providerId, id: accountId })),
  )
  return { accounts: [...own, ...accounts], notTaken }
}

/** Of its plugins, which an installation has or not. */
function factorsOf(theirs: DatabaseSync, userId: string): readonly string[] {
  return Object.entries({ twoFactor: 'second factors', passkey: 'passkeys' }).flatMap(([table, what]) => {
    const has = theirs.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table)
    if (!has) return []
    const { count } = theirs.prepare(`select count(*) as count from "${table}" where "userId" = ?`).get(userId) ?? {}
    return Array.from({ length: Number(count) }, () => what)
  })
}
