import { type Compilable, CompiledQuery, type QueryExecutorProvider } from 'kysely'
import { isShared } from '../sql/row-lock.ts'

/**
 * Lifts the limits for the rest of the batch: inserting the name of a migration waits for another process that is
 * applying it, however long that takes.
 */
export function noLimits(db: QueryExecutorProvider): readonly Compilable<unknown>[] {
  return onPostgres(db, `select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`)
}

/**
 * Takes the locks of the statements together and first. Requests queue behind a statement that waits for a lock, and
 * one that has read another of its tables already would wait in a circle with it: so each try is shorter than a server
 * takes to look for circles (`deadlock_timeout`), and lets go of all. Behind a PgBouncer the role may have no limit.
 */
export function takeLocks(
  db: QueryExecutorProvider,
  statements: readonly Compilable<unknown>[],
): readonly Compilable<unknown>[] {
  const locks = statements.flatMap((statement) => locksOf(statement.compile().sql))
  const inModes = ['access exclusive', 'share row exclusive'].map((mode) => {
    const tables = new Set(locks.filter((lock) => lock.mode === mode).map(({ table }) => `'"${table}"'`))
    return `for name in select t from unnest(array[${[...tables].sort()}]::text[]) as t where to_regclass(t) is not null loop
      execute 'lock table ' || name || ' in ${mode} mode';
    end loop;`
  })
  return onPostgres(
    db,
    `do $$ declare
       name text;
       longest text := (select case reset_val when '0' then '5s' else reset_val || unit end
         from pg_settings where pg_settings.name = 'lock_timeout');
       tries int := ceil(extract(epoch from longest::interval) * 1000 / ${TRY_MILLISECONDS});
     begin
       for try in 1..tries loop
         begin
           perform set_config('lock_timeout', '${TRY_MILLISECONDS}', true);
           ${inModes.join('\n')}
           perform set_config('lock_timeout', longest, true);
           return;
         exception when lock_not_available then
           if try = tries then raise; end if;
         end;
       end loop;
     end $$`,
  )
}

const TRY_MILLISECONDS = 250

interface TableLock {
  readonly table: string
  readonly mode: 'access exclusive' | 'share row exclusive'
}

const CHANGED = /^\s*(?:alter|drop) table (?:if exists )?"?(\w+)/gi
const KEPT_FROM_WRITERS = [
  /^\s*create (?:unique )?index \S+ on "?(\w+)/gi,
  /^\s*create trigger \S+ [^$]*? on "?(\w+)/gi,
  /\breferences "?(\w+)/gi,
]

function locksOf(text: string): readonly TableLock[] {
  const found = (pattern: RegExp, mode: TableLock['mode']) =>
    [...text.matchAll(pattern)].map(([, table = '']) => ({ table, mode }))
  return [
    ...found(CHANGED, 'access exclusive'),
    ...KEPT_FROM_WRITERS.flatMap((pattern) => found(pattern, 'share row exclusive')),
  ]
}

function onPostgres(db: QueryExecutorProvider, text: string): readonly Compilable<unknown>[] {
  return isShared(db) ? [{ compile: () => CompiledQuery.raw(text) }] : []
}
