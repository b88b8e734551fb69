import assert from 'node:assert/strict'
import { type Compilable, Kysely } from 'kysely'
import { it } from 'vitest'
import { SqliteEngine } from '../sqlite/engine.ts'
import { metaMigrations } from './meta.ts'
import type { Migration } from './migrate.ts'
import { shardMigrations } from './shard.ts'

it('a migration only adds, so that processes of the previous release can keep serving', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: as in `Migration`.
  const db = new Kysely<any>({ dialect: new SqliteEngine('empty', ':memory:').dialect() })
  const texts = ({ name, up }: Migration) =>
    up(db).map((statement: Compilable<unknown>) => ({ name, sql: statement.compile().sql }))
  const all = [...metaMigrations, ...shardMigrations].flatMap(texts)

  const strays = all.filter(({ sql }) => takesAway(sql))

  assert.ok(all.length > 50)
  assert.deepEqual(strays, [])
})

/** A table, column or index that is dropped or renamed, or a column that an older program does not fill in. */
function takesAway(sql: string): boolean {
  const addsRequired = /^alter table .* add column .* not null/i.test(sql) && !/ default /i.test(sql)
  return addsRequired || /^drop |^alter table .* (drop|rename|alter) /i.test(sql)
}
