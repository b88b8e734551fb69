import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, sql } from 'kysely'
import { isShared } from '../sql/row-lock.ts'

type Build = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder

export const required: Build = (column) => column.notNull()
export const primary: Build = (column) => column.notNull().primaryKey()
export const unique: Build = (column) => column.notNull().unique()
export const zero: Build = (column) => column.notNull().defaultTo(0)

/** What a row has if nothing else is said. */
export const by =
  (value: string | number): Build =>
  (column) =>
    column.notNull().defaultTo(value)

/** The rows are deleted with the user. */
export const ofUser: Build = (column) => column.notNull().references('user.id').onDelete('cascade')
export const ofUserOrNull: Build = (column) => column.references('user.id').onDelete('cascade')

/** The same for another table's row. */
export const of =
  (table: string): Build =>
  (column) =>
    column.notNull().references(`${table}.id`).onDelete('cascade')
export const ofOptional =
  (table: string): Build =>
  (column) =>
    column.references(`${table}.id`).onDelete('cascade')

/** Adds columns of one kind, each with the same rule. */
export function columns(
  type: 'text' | 'bigint',
  names: readonly string[],
  build: Build = (column) => column,
) {
  return <Name extends string>(table: CreateTableBuilder<Name, string>): CreateTableBuilder<Name, string> =>
    names.reduce<CreateTableBuilder<Name, string>>((made, name) => made.addColumn(name, type, build), table)
}

/** For a table whose rows may be lost with the server: PostgreSQL need not log them. */
export function unlogged(db: Kysely<unknown>) {
  return <Name extends string>(table: CreateTableBuilder<Name, string>): CreateTableBuilder<Name, string> =>
    isShared(db) ? table.modifyFront(sql`unlogged`) : table
}
