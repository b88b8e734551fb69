import type { Compilable } from 'kysely'
import type { CreatedKey } from '../../../database/sql/conditions.ts'
import type { Meta, Shard } from '../../../database/store.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import { tableKeyValue } from '../../../platform/key-value/table.ts'
import type { Platform } from '../../../platform/platform.ts'
import { dataOf } from '../../../rules/product-data.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { auditEntriesAfter } from '../../ground/events/audited-statements.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { getBalance } from '../../operations/credits/credits.ts'
import { balanceOf, creditEntriesAfter } from '../../operations/credits/statements.ts'
import { feedbacksAfter } from '../../operations/feedback/statements.ts'
import { preferencesOf, readMarksAfter, targetedAfter } from '../../operations/notifications/statements.ts'
import { readAs } from '../../tenancy/shards/reading.ts'
import { exportedInvitations, exportedMemberships } from '../memberships/statements.ts'
import { userDataOf } from '../product-data/statements.ts'
import { identityOf, identityQueries } from './user-data.ts'

/** A page of feedback, notifications or audit entries has at most a few hundred KB. */
const LONG_ROWS_AT_ONCE = 10
const SHORT_ROWS_AT_ONCE = 250
/** More than an address gets in the time for which they are kept. */
const INVITATIONS_AT_MOST = 1_000
/** In characters. V8 puts much longer strings straight into its old generation. */
const PART = 32 * 1024

/** If a process is killed, its user waits no longer than this. */
const LONGEST_SECONDS = 600
const KEPT_SECONDS = LONGEST_SECONDS + 60
const KEY_SECONDS = KEPT_SECONDS + 60
const RETRY_AFTER_SECONDS = 10

/**
 * Yields everything stored about the caller as JSON in parts, without tokens or passwords. Each user has one export at
 * a time, across processes: a second one is refused and not counted, so that a program can retry.
 */
export async function* exportAccount(call: ProtectedCall) {
  const { platform, caller, shard } = call
  const { id: userId } = caller.user
  const { now } = platform
  // This works even while the key-value store is down.
  const keyValue = tableKeyValue(platform.meta, now)
  const key = `export:${userId}`
  const begin = now()
  if (!(await keyValue.setIfAbsent(key, '', KEY_SECONDS)))
    throw new Refusal('RATE_LIMITED', 'An export of your data is still in progress.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  try {
    await countCall(call, 'exports')
    const endAt = begin + LONGEST_SECONDS * 1000
    for await (const part of partsOf(platform, shard, userId)) {
      if (now() >= endAt) throw new Error('an export was not read to its end in time')
      yield part
    }
  } finally {
    // An expired lease belongs to the next export.
    if (now() < begin + KEPT_SECONDS * 1000) await keyValue.delete(key)
  }
}

async function* partsOf(platform: Platform, shard: Shard, userId: string) {
  const { meta, now } = platform
  const queries = queriesOf(meta, userId)
  // The first pages of one store are read together, and few exports have more.
  const readOwn = async () => (await readAs(platform, shard, userId, queries.ownPages)).rows
  let own = await readOwn()
  let balance = own[3][0]?.balance
  if (balance === undefined) {
    // This first read creates the balance, with the signup reward.
    balance = await getBalance(platform, shard, userId)
    own = await readOwn()
  }
  const [targeted, preferences, log, [data], memberships, invitations, ...identity] = await meta.snapshot([
    queries.targeted(),
    preferencesOf(meta, userId),
    queries.audit(),
    userDataOf(meta, userId),
    exportedMemberships(meta, userId),
    exportedInvitations(meta, userId, INVITATIONS_AT_MOST),
    ...identityQueries(meta, userId, now()),
  ])

  yield `{"exported_at":${now()},\n"user":${JSON.stringify(identityOf(platform, identity))},\n"data":${JSON.stringify(dataOf(data))},\n${inOrganizations(memberships, invitations)},\n"notifications":{"targeted":[`
  yield* listed(pagesOf(LONG_ROWS_AT_ONCE, targeted, (after) => queries.targeted(after).execute()))

  const next = async <Row>(rowsIn: (at: Shard) => Compilable<Row>) =>
    (await readAs(platform, shard, userId, (at) => [rowsIn(at)])).rows[0]

  yield `],\n"read":[`
  const marks = pagesOf(SHORT_ROWS_AT_ONCE, own[0], (after) => next((at) => queries.marks(at, after)))
  yield* listed(marks, ({ notification_id }) => notification_id)

  yield `],"preferences":${JSON.stringify(preferences)}},\n"feedbacks":[`
  const feedbacks = pagesOf(LONG_ROWS_AT_ONCE, own[1], (after) => next((at) => queries.feedbacks(at, after)))
  yield* listed(feedbacks, (row) => ({ ...row, context: JSON.parse(row.context) }))

  yield `],\n"credits":{"entries":[`
  // The balance is read together with the last page.
  const entries = async (after: CreatedKey) => {
    const { rows } = await readAs(platform, shard, userId, (at) => [queries.entries(at, after), balanceOf(at, userId)])
    balance = rows[1][0]?.balance ?? balance
    return rows[0]
  }
  yield* listed(pagesOf(SHORT_ROWS_AT_ONCE, own[2], entries))

  yield `],"balance":${balance}},\n"audit":[`
  const audit = pagesOf(LONG_ROWS_AT_ONCE, log, (after) => queries.audit(after).execute())
  yield* listed(audit, ({ id: _, details, ...entry }) => ({ ...entry, details: JSON.parse(details) }))
  yield ']}\n'
}

interface InOrganization {
  readonly roles: string
}

function inOrganizations(memberships: readonly InOrganization[], invitations: readonly InOrganization[]): string {
  const withRoles = (rows: readonly InOrganization[]) =>
    JSON.stringify(rows.map(({ roles, ...row }) => ({ ...row, roles: roles.split(',') })))
  return `"memberships":${withRoles(memberships)},\n"invitations":${withRoles(invitations)}`
}

function queriesOf(meta: Meta, userId: string) {
  const marks = (at: Shard, after?: Mark) =>
    readMarksAfter(at, userId, after?.notification_id ?? '', SHORT_ROWS_AT_ONCE)
  const feedbacks = (at: Shard, after?: CreatedKey) => feedbacksAfter(at, userId, after, LONG_ROWS_AT_ONCE)
  const entries = (at: Shard, after?: CreatedKey) => creditEntriesAfter(at, userId, after, SHORT_ROWS_AT_ONCE)
  return {
    ...{ marks, feedbacks, entries },
    ownPages: (at: Shard) => [marks(at), feedbacks(at), entries(at), balanceOf(at, userId)] as const,
    targeted: (after?: CreatedKey) => targetedAfter(meta, userId, after, LONG_ROWS_AT_ONCE),
    audit: (after?: CreatedKey) => auditEntriesAfter(meta, userId, after, LONG_ROWS_AT_ONCE),
  }
}

interface Mark {
  readonly notification_id: string
}

async function* pagesOf<Row>(size: number, first: readonly Row[], next: (after: Row) => Promise<readonly Row[]>) {
  for (let rows = first; ; ) {
    const last = rows.length < size ? undefined : rows.at(-1)
    yield rows
    empty(rows)
    if (last === undefined) return
    rows = await next(last)
  }
}

/** V8 keeps what promises returned, and so all pages of a long export, until it collects the old generation. */
function empty(rows: readonly unknown[]): void {
  const own = rows as unknown[]
  own.length = 0
}

/** The elements of a JSON array, one on each line. */
async function* listed<Row>(pages: AsyncIterable<readonly Row[]>, shown: (row: Row) => unknown = (row) => row) {
  let separator = ''
  for await (const rows of pages) {
    let part = ''
    for (const row of rows) {
      part += separator + JSON.stringify(shown(row))
      separator = ',\n'
      if (part.length < PART) continue
      yield part
      part = ''
    }
    if (part !== '') yield part
  }
}
