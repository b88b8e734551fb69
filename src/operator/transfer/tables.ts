import { type Kysely, type SqlBool, sql } from 'kysely'
import type { MetaTables, ShardTables } from '../../database/schema/tables.ts'
import type { Store } from '../../database/store.ts'

type Row = Readonly<Record<string, string | number | null>>

export interface Table {
  readonly table: string
  /** The columns that identify a row; also the order of the export. */
  readonly keys: readonly [string, ...string[]]
}

/**
 * Tables that last, each after the tables that it refers to. Codes, flows, mail, limits and signing keys do
 * not last.
 */
export const META_TABLES = [
  { table: 'user', keys: ['id'] },
  { table: 'user_data', keys: ['user_id'] },
  { table: 'email_change', keys: ['id'] },
  { table: 'account', keys: ['id'] },
  { table: 'session', keys: ['id'] },
  { table: 'impersonation', keys: ['id'] },
  { table: 'impersonation_act', keys: ['id'] },
  { table: 'trusted_device', keys: ['id'] },
  { table: 'known_network', keys: ['user_id', 'network'] },
  { table: 'totp_factor', keys: ['id'] },
  { table: 'backup_code', keys: ['id'] },
  { table: 'passkey', keys: ['id'] },
  { table: 'organization', keys: ['id'] },
  { table: 'organization_slug', keys: ['slug'] },
  { table: 'organization_remains', keys: ['id'] },
  { table: 'organization_role', keys: ['id'] },
  { table: 'organization_invitation', keys: ['id'] },
  { table: 'organization_invitation_link', keys: ['link_hash'] },
  { table: 'member', keys: ['user_id', 'organization_id'] },
  { table: 'member_role', keys: ['organization_id', 'role', 'joined_at', 'member_id'] },
  { table: 'team', keys: ['id'] },
  { table: 'team_member', keys: ['user_id', 'team_id'] },
  { table: 'application', keys: ['id'] },
  { table: 'application_picture', keys: ['application_id', 'name'] },
  { table: 'application_sign_in', keys: ['application_id', 'session_id'] },
  { table: 'product_scope', keys: ['scope'] },
  { table: 'consent', keys: ['user_id', 'client_id'] },
  { table: 'api_grant', keys: ['id'] },
  { table: 'access_token', keys: ['token_hash'] },
  { table: 'refresh_token', keys: ['token_hash'] },
  { table: 'approval', keys: ['id'] },
  { table: 'grant_act', keys: ['id'] },
  { table: 'notifications', keys: ['id'] },
  { table: 'notification_preference', keys: ['user_id', 'type'] },
  { table: 'announcement', keys: ['notification_id'] },
  { table: 'digest_entry', keys: ['user_id', 'notification_id'] },
  { table: 'beta_codes', keys: ['code'] },
  { table: 'saved_reply', keys: ['id'] },
  { table: 'saved_view', keys: ['id'] },
  { table: 'shards', keys: ['id'] },
  { table: 'user_shards', keys: ['user_id'] },
  { table: 'erasure', keys: ['id'] },
  { table: 'event', keys: ['id'] },
  { table: 'refused_address', keys: ['event_id'] },
] as const satisfies readonly (Table & { readonly table: keyof MetaTables })[]

export const SHARD_TABLES = [
  { table: 'residents', keys: ['user_id'] },
  { table: 'feedbacks', keys: ['id'] },
  { table: 'feedback_counts', keys: ['kind', 'value', 'slot'] },
  { table: 'notification_reads', keys: ['notification_id', 'user_id'] },
  { table: 'credit_balance', keys: ['user_id'] },
  { table: 'credit_entries', keys: ['id'] },
  { table: 'event_outbox', keys: ['id'] },
] as const satisfies readonly (Table & { readonly table: keyof ShardTables })[]

const ROWS_AT_ONCE = 500

export async function* rowsOf(store: AnyStore, { table, keys }: Table): AsyncGenerator<Row> {
  const db = anyTable(store)
  let last: Row | undefined
  do {
    const after = last
    let query = db.selectFrom(table).selectAll().limit(ROWS_AT_ONCE)
    for (const key of keys) query = query.orderBy(key)
    if (after) query = query.where(comesAfter(keys, after))
    const rows = await query.execute()
    yield* rows
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined
  } while (last)
}

function comesAfter(keys: Table['keys'], row: Row) {
  const columns = sql.join(keys.map((key) => sql.ref(key)))
  const values = sql.join(keys.map((key) => sql.val(row[key])))
  return sql<SqlBool>`(${columns}) > (${values})`
}

export async function countRows(store: AnyStore, { table }: Table): Promise<number> {
  const { rows } = await anyTable(store)
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}

/** Existing rows stay as they are, so that an interrupted import can be repeated. */
export async function insertRows(store: AnyStore, table: string, rows: readonly Row[]): Promise<void> {
  await anyTable(store)
    .insertInto(table)
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export type AnyStore = Store<MetaTables> | Store<ShardTables>

/** The table is known only at run time. */
function anyTable(store: AnyStore): Kysely<Record<string, Row>> {
  return store.primary as unknown as Kysely<Record<string, Row>>
}
