import assert from 'node:assert/strict'
import type { Kysely } from 'kysely'
import { describe } from 'vitest'
import { it } from '../../test/service/it.ts'
import { prepared, statement } from './prepared.ts'
import { RecentlyUsed } from './recently-used.ts'
import type { MetaTables } from './schema/tables.ts'

describe('a statement that is compiled once', () => {
  const build = (db: Kysely<MetaTables>, { key, after }: { readonly key: string; readonly after: number }) =>
    db.selectFrom('key_value').select('value').where('expires_at', '>', after).where('key', '=', key).limit(1)

  it('is what its builder compiles, with each value bound by its name', async ({ service }) => {
    const { meta } = service.platform
    const statement = prepared({ key: '', after: 0 }, build)

    for (const values of [
      { key: 'a', after: 1 },
      { after: 2, key: 'b' },
    ]) {
      const { sql, parameters } = statement(meta, values).compile()
      const built = build(meta, values).compile()
      assert.deepEqual([sql, parameters], [built.sql, built.parameters])
    }
  })

  it('throws if a value is missing, instead of binding nothing', async ({ service }) => {
    const { meta } = service.platform
    const statement = prepared({ key: '', after: 0 }, build)

    await assert.rejects(async () => await meta.primary.run(statement(meta, { key: 'a' } as never)), TypeError)
  })
})

it('a statement of positional values is what its builder compiles, for each shape of its rows', async ({ service }) => {
  const { meta } = service.platform
  let built = 0
  const insert = (db: Kysely<MetaTables>, expires_at: number, ...rows: readonly { key: string; value?: string }[]) => {
    built++
    return db.insertInto('key_value').values(rows.map((row) => ({ value: '', ...row, expires_at })))
  }
  const once = statement(insert)

  for (const rows of [[{ key: 'a' }], [{ key: 'b' }], [{ key: 'c', value: 'x' }, { key: 'd' }]]) {
    const { sql, parameters } = once(meta, 5, ...rows).compile()
    const whole = insert(meta, 5, ...rows).compile()
    assert.deepEqual([sql, parameters], [whole.sql, whole.parameters])
  }
  assert.equal(built, 5)
})

it('a map of what was recently used drops the entry that was used least recently, and names it', () => {
  const map = new RecentlyUsed<string>(2)
  map.keep('a', 'first')
  map.keep('b', 'second')
  map.use('a')

  const dropped = map.keep('c', 'third')

  assert.deepEqual([dropped, map.use('a'), map.use('b'), map.use('c')], ['b', 'first', undefined, 'third'])
})
