import type { Look } from './looks/look.ts'

/** What a store has at one moment. */
export interface Content {
  readonly bytes: number
  readonly tables: ReadonlyMap<string, Table>
}

interface Table {
  readonly rows: number
  /** Those of the first look, and which of them are not there any more. */
  readonly columns: readonly string[]
  readonly gone: readonly string[]
  /** Of the rows and what is in these columns; only for a table that the statements name. */
  readonly hash: string | undefined
}

/**
 * Counts the rows of every table, and reads those that the statements name, in the columns of an earlier look. What an
 * `unchanged` look has read is not read again.
 */
export async function contentOf(
  look: Look,
  statements: string,
  earlier?: Content,
  unchanged?: Content,
): Promise<Content> {
  const tables = new Map<string, Table>()
  for (const table of await tablesIn(look)) {
    const present = await look.columns(table)
    const columns = earlier?.tables.get(table)?.columns ?? present
    const gone = columns.filter((column) => !present.includes(column))
    const read = () => unchanged?.tables.get(table)?.hash ?? look.hash(table, columns)
    const hash = isNamed(table, statements) && gone.length === 0 ? await read() : undefined
    tables.set(table, { rows: await look.rows(table), columns, gone, hash })
  }
  return { bytes: await look.bytes(), tables }
}

/** Rows of the tables that the statements name. */
export function rowsNamed({ tables }: Content, statements: string): number {
  return [...tables].reduce((sum, [table, { rows }]) => (isNamed(table, statements) ? sum + rows : sum), 0)
}

export function tablesNamed({ tables }: Content, statements: string): readonly string[] {
  return [...tables.keys()].filter((table) => isNamed(table, statements))
}

/** What a migration must not do: it only adds. */
export function lossesBetween(before: Content, after: Content): readonly string[] {
  return [...before.tables].flatMap(([table, had]) => {
    const has = after.tables.get(table)
    if (has === undefined) return [`drops the table ${table}`]
    const gone = has.gone.filter((column) => !had.gone.includes(column))
    if (gone.length > 0) return [`drops ${gone.map((column) => `${table}.${column}`).join(', ')}`]
    if (has.rows < had.rows) return [`removes ${had.rows - has.rows} of ${had.rows} rows of ${table}`]
    return has.rows === had.rows && has.hash !== had.hash ? [`changes what is in ${table}`] : []
  })
}

/** Marks of this program in a store, which every migration changes. */
const OWN: ReadonlySet<string> = new Set(['schema_migration', 'instance', 'row_counts', 'key_value'])

async function tablesIn(look: Look): Promise<readonly string[]> {
  return (await look.tables()).filter((name) => !OWN.has(name))
}

function isNamed(table: string, statements: string): boolean {
  return new RegExp(`\\b${table}\\b`).test(statements)
}
