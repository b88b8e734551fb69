import { sql } from 'kysely'
import type { Store } from '../../database/store.ts'

interface MissingRights {
  readonly tables: string
  /** A statement for the owner of the tables to run. */
  readonly grant: string
}

/** PostgreSQL only: what the role lacks on the tables that `prepare` has made. */
export async function missingRights<Tables>(store: Store<Tables>): Promise<MissingRights | undefined> {
  const { rows } = await sql<MissingRights>`select string_agg(relname, ', ' order by relname) as tables,
      format('grant select, insert, update, delete on all tables in schema %s to %I',
        relnamespace::regnamespace, current_user) as grant
    from pg_class join (select relnamespace, relowner from pg_class where oid = 'schema_migration'::regclass)
      as ours using (relnamespace, relowner)
    where relkind = 'r' and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
      and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
    group by relnamespace`.execute(store.primary)
  return rows[0]
}
