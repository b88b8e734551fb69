import assert from 'node:assert/strict'
import { Kysely } from 'kysely'
import { describe, it } from 'vitest'
import { sqliteDialect } from './dialect.ts'

const db = new Kysely<{ letter: { id: string } }>({ dialect: sqliteDialect(async () => ({ rows: [] })) })

describe('the dialect of SQLite', () => {
  it('writes a limit into the statement, because SQLite prepares a bound one again each time', () => {
    const query = db.selectFrom('letter').select('id').where('id', '>', 'a').limit(3).offset(6)
    const { sql: text, parameters } = query.compile()

    assert.equal(text, 'select "id" from "letter" where "id" > ? limit 3 offset ?')
    assert.deepEqual(parameters, ['a', 6])
  })

  it('binds a limit that is not a whole number, so that no text of a caller gets into a statement', () => {
    const text = '1; drop table letter' as unknown as number

    const query = db.selectFrom('letter').select('id').limit(text).compile()

    assert.deepEqual([query.sql, query.parameters], ['select "id" from "letter" limit ? + 0', [text]])
  })
})
