import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'vitest'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { Handle, openReader } from './handle.ts'

const rowsOf = (handle: Handle, sql: string) => handle.run({ sql, parameters: [] }).rows

describe('a row', () => {
  it('has each column under its own name, whatever the name is', () => {
    const handle = new Handle(new DatabaseSync(':memory:'))
    const plain = ['__proto__', 'constructor', '', 'a"b', "it's"]
    const names = [...plain, 'back\\slash', 'line\nbreak', '{x}`', '\u2028']
    const columns = names.map((name, i) => `${i} as "${name.replaceAll('"', '""')}"`)

    const [row] = rowsOf(handle, `select ${columns.join()}`)

    assert.deepEqual(
      Object.entries(row ?? {}),
      names.map((name, i) => [name, i]),
    )
    assert.equal(Object.getPrototypeOf(row), Object.prototype)
    handle.close()
  })

  it('has the value of the last one of two columns with one name', () => {
    const handle = new Handle(new DatabaseSync(':memory:'))

    assert.deepEqual(rowsOf(handle, 'select 1 as a, 2 as b, 3 as a'), [{ a: 3, b: 2 }])
    handle.close()
  })

  it('has a column that another process has added to the table since the statement was prepared', () => {
    const file = join(temporaryFolder(), 'items.sqlite')
    const other = new DatabaseSync(file)
    other.exec("pragma journal_mode = wal; create table item (id text); insert into item values ('a')")
    const handle = openReader(file)
    const before = rowsOf(handle, 'select * from item')

    other.exec('alter table item add column amount bigint not null default 7')
    const afterwards = [rowsOf(handle, 'select * from item'), rowsOf(handle, 'select * from item')]
    other.exec('alter table item drop column amount')
    const atLast = rowsOf(handle, 'select * from item')

    const row = { id: 'a', amount: 7 }
    assert.deepEqual([before, afterwards, atLast], [[{ id: 'a' }], [[row], [row]], [{ id: 'a' }]])
    handle.close()
    other.close()
  })
})
