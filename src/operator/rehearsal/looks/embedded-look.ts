import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { Look } from './look.ts'

export function embeddedLook(file: string): Look {
  const database = new DatabaseSync(file, { readOnly: true })
  const number = (name: string) => Number(database.prepare(`pragma ${name}`).get()?.[name])
  const names = (query: string, ...values: readonly string[]) =>
    database
      .prepare(query)
      .all(...values)
      .map(({ name }) => String(name))
  return {
    async tables() {
      const listed = names("select name from pragma_table_list where type = 'table' and schema = 'main'")
      return listed.filter((name) => !name.startsWith('sqlite_'))
    },
    columns: async (table) => names('select name from pragma_table_info(?)', table),
    rows: async (table) => Number(database.prepare(`select count(*) as rows from "${table}"`).get()?.rows),
    hash: async (table, columns) => hashOf(database, table, columns),
    bytes: async () => number('page_count') * number('page_size'),
    [Symbol.asyncDispose]: async () => database.close(),
  }
}

/** A table is read in the order of its keys, so the same rows give the same hash. */
function hashOf(database: DatabaseSync, table: string, columns: readonly string[]): string {
  const hash = createHash('sha256')
  const names = columns.map((column) => `"${column}"`).join()
  const read = database.prepare(`select ${names} from "${table}"`)
  read.setReturnArrays(true)
  for (const row of read.iterate()) hash.update(JSON.stringify(row))
  return hash.digest('hex')
}
