import { type Compilable, type Kysely, type SqlBool, sql } from 'kysely'
import type { BatchRows } from '../../../database/batch-rows.ts'
import { failUnless } from '../../../database/instance.ts'
import { Overtaken, untilNotOvertaken } from '../../../database/overtaken.ts'
import { prepared } from '../../../database/prepared.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import type { Call } from '../../../http/route.ts'
import type { Client } from './client.ts'
import { authenticateClient, type ClientForm } from './clients.ts'
import { keepApplicationsUnchanged } from './statements.ts'

/**
 * A batch that gives an application tokens: the application is locked first, so that a change waits until the batch
 * ends, and the batch fails if its secret, redirect URIs, scopes, PKCE or consent have changed since they were read. So
 * nothing is issued for the former secret once the new one has been shown. The command-line client does not change.
 * `docs/decisions.md` says what decisions would cost these acts.
 */
export async function batchFor(
  meta: Meta,
  { id, asStored }: Client,
  ...statements: readonly Compilable<unknown>[]
): Promise<BatchRows> {
  if (asStored === undefined) return meta.batch(statements)
  try {
    return await meta.batch([unlessAsRead(meta, readOf(id, asStored)), ...statements])
  } catch (error) {
    const isOther = error instanceof ConstraintViolation && error.table === 'instance' && error.column === 'value'
    throw isOther ? new Overtaken('the application was changed before the batch', { cause: error }) : error
  }
}

/**
 * Locks the application before any other row of a decision. Returns no row if the application has changed since it was
 * read.
 */
export function heldClient(meta: Meta, { id, asStored }: Client) {
  return asStored && held(meta, readOf(id, asStored))
}

/** Runs in a decision that has read `heldClient`. Returns the row; the command-line client has none. */
export function refuseOtherClient<Row>({ asStored }: Client, [row]: readonly Row[]): Row | undefined {
  if (asStored && !row) throw new Overtaken('the application was changed before the decision')
  return row
}

function readOf(id: string, stored: NonNullable<Client['asStored']>): Read {
  const { secret_hash, redirect_uris, scopes, require_pkce, skip_consent } = stored
  return { id, secret_hash: secret_hash ?? '', redirect_uris, scopes, require_pkce, skip_consent }
}

const EXAMPLE = { id: '', secret_hash: '', redirect_uris: '', scopes: '', require_pkce: 0, skip_consent: 0 }

type Read = typeof EXAMPLE

const held = prepared(EXAMPLE, (db: Kysely<MetaTables>, read) =>
  asRead(keepApplicationsUnchanged(db), read).select('application.backchannel_logout_uri'),
)

/** Reading the row also locks it. */
const unlessAsRead = prepared(EXAMPLE, (db: Kysely<MetaTables>, read) =>
  failUnless(db, sql<SqlBool>`exists ${asRead(keepApplicationsUnchanged(db), read)}`),
)

function asRead(
  applications: ReturnType<typeof keepApplicationsUnchanged>,
  { id, secret_hash, redirect_uris, scopes, require_pkce, skip_consent }: Read,
) {
  return applications
    .where('application.id', '=', id)
    .where(sql<string>`coalesce(application.secret_hash, '')`, '=', secret_hash)
    .where('application.redirect_uris', '=', redirect_uris)
    .where('application.scopes', '=', scopes)
    .where(sql<number>`application.require_pkce`, '=', require_pkce)
    .where(sql<number>`application.skip_consent`, '=', skip_consent)
}

/** Runs again, with the client read and authenticated anew, if the client was changed before the write. */
export function byClient<T>(call: Call, form: ClientForm, act: (client: Client) => Promise<T>): Promise<T> {
  return untilNotOvertaken(call.platform.meta, async () => act(await authenticateClient(call, form)))
}
