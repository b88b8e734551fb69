import { sql } from 'kysely'
import { findKept, replaceKept } from '../../../database/instance.ts'
import { ALL, progressOf, type SearchIndex, searchedText } from '../../../database/searching.ts'
import { isShared } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { type Job, restingFor } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'

// An embedded store takes a tenth of a millisecond for each.
const ROWS_AT_ONCE = 100

/** Rows and progress are written in one commit, so any number of processes can add rows and stop at any line. */
export function searchIndexJob(
  { meta, background }: Pick<Platform, 'meta' | 'background'>,
  indexes: readonly SearchIndex[],
): Job {
  const rest = restingFor(9)
  return {
    name: 'search-index',
    everySeconds: 600,
    atStart: true,
    async run() {
      for (const index of indexes) {
        const name = progressOf(index)
        const done = (await findKept(meta.primary, name)) ?? ''
        if (done === ALL) continue
        const last = await lastOfNext(meta, index, done)
        const progress = replaceKept(meta, name, last ?? ALL)
        await meta.batch(last === undefined ? [progress] : [addRows(meta, index, done, last), progress])
        background.wake('search-index')
        return rest()
      }
    },
  }
}

/** The last id of some rows after this one; undefined after the last row. */
async function lastOfNext({ primary }: Meta, { of }: SearchIndex, after: string): Promise<string | undefined> {
  const next = primary.selectFrom(of).select('id').where('id', '>', after).orderBy('id').limit(ROWS_AT_ONCE)
  const row = await primary
    .selectFrom(next.as('next'))
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirst()
  return row?.last ?? undefined
}

/** On PostgreSQL it locks each row, so that none is deleted before the commit. */
function addRows(meta: Meta, index: SearchIndex, after: string, last: string) {
  const [table, id] = [sql.table(index.of), sql.ref(`${index.of}.id`)]
  const locked = isShared(meta) ? sql`for key share` : sql``
  const insert = sql`insert into ${sql.table(`${index.of}_search`)} (${sql.ref(`${index.of}_id`)}, text)
    select ${id}, ${searchedText(meta, index)} from ${table} where ${id} > ${after} and ${id} <= ${last} ${locked}
    on conflict do nothing`
  return { compile: () => insert.compile(meta) }
}
