import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { foldedWords } from '../rules/folded.ts'
import { kept } from './instance.ts'
import { rowCount } from './row-counts.ts'
import type { MetaTables } from './schema/tables.ts'
import { amongJson, anywhere, type Condition } from './sql/conditions.ts'
import { joinedAsJson } from './sql/joined.ts'
import { isShared } from './sql/row-lock.ts'
import type { Meta } from './store.ts'

/** A trigram index of a table: of the folded name, of this column, and of the id. */
export interface SearchIndex {
  readonly of: 'user' | 'organization'
  readonly by: 'email' | 'slug'
}

/** Names the id up to which rows from before the index have been added; all others always are in it. */
export function progressOf({ of }: SearchIndex): string {
  return `${of}s_in_search_index`
}

export const ALL = 'all'

type Among = 'all' | 'first'
/** Estimates from a sample how many rows have all these parts. */
type Having = (...parts: readonly string[]) => number

/** If more are found, reading all rows takes no longer. */
const FOUND_AT_MOST = 1_000
/** How many rows the index may name before their texts are compared with each word. */
const CANDIDATES_AT_MOST = { first: 1_000, all: 50_000 } as const
const SAMPLE = 200
/** A single one can be chance. */
const SEEN_AT_LEAST = 2
/** The index entries of one gram that can be read in a few milliseconds. */
const ENTRIES_AT_MOST = 30_000
/** Index entries worth reading when another piece is rare. */
const FURTHER_ENTRIES_AT_MOST = 100_000
const GRAM_LETTERS = 3
/** The time that an embedded store takes grows with the square of their number. */
const BEGINNING_AT_MOST = 500
const LAST_CHARACTER = '\u{10ffff}'

export interface Found {
  readonly conditions: readonly Condition[]
  /** A JSON array of the ids of all matches; undefined if the conditions have to read each row. */
  readonly ids: string | undefined
  /** The number of rows the search would have to read; undefined if the index names the matches. */
  readonly toRead: number | undefined
}

/**
 * The conditions that each word is part of one of the texts. Among the `first`, the index is not used if very many rows
 * have each piece: going through them takes longer than reading some of the rows.
 */
export async function foundIn(meta: Meta, index: SearchIndex, search: string, among: Among = 'all'): Promise<Found> {
  const words = foldedWords(search)
  if (words.length === 0) return { conditions: [], ids: undefined, toRead: undefined }
  const queries = [kept(meta, progressOf(index)), rowCount(meta, index.of), sample(meta, index)] as const
  const [[progress], [size], some] = await meta.snapshot(queries)
  const rows = size?.total ?? 0
  const having = (...parts: readonly string[]) => {
    const seen = some.filter(({ text }) => parts.every((part) => text.includes(part))).length
    return seen < SEEN_AT_LEAST ? 0 : (rows * seen) / some.length
  }
  const isIndexUseful = progress?.value === ALL && having(...words) <= FOUND_AT_MOST
  const ids = isIndexUseful ? await foundByIndex(meta, index, words, among, having) : undefined
  return ids
    ? { conditions: [amongJson(meta, `${index.of}.id`, ids)], ids, toRead: undefined }
    : { conditions: words.map((word) => isPartOfRow(meta, index, word)), ids: undefined, toRead: rows }
}

function searched(meta: Meta, { of }: SearchIndex) {
  const table = sql<{ readonly text: string }>`${sql.table(`${of}_search`)}`
  return meta.selectFrom(table.as('searched'))
}

/** Samples rows of every age, since some grams of an id or a number come from the time of its creation. */
function sample(meta: Meta, index: SearchIndex) {
  const inSample = isShared(meta) ? firstOfSomeBlocks(index) : atSomeNumbers(index)
  return searched(meta, index).select('text').where(inSample)
}

/** Spread by the golden ratio: evenly, and out of step with any pattern among the rows. */
const SHARES = JSON.stringify(Array.from({ length: SAMPLE }, (_, i) => ((i + 1) * 0.618_033_988_75) % 1))

function atSomeNumbers({ of }: SearchIndex): Condition {
  return sql<SqlBool>`number in (select cast(value * (select max(number) from ${sql.table(`${of}_search`)}) as integer)
    from json_each(${SHARES}))`
}

function firstOfSomeBlocks({ of }: SearchIndex): Condition {
  return sql<SqlBool>`ctid = any (array(
    select cast(format('(%s,1)', greatest(0, cast(ceil(cast(share as double precision)
      * pg_relation_size(${sql.lit(`${of}_search`)})
      / cast(current_setting('block_size') as bigint)) as bigint) - 1)) as tid)
    from json_array_elements_text(cast(${SHARES} as json)) as share))`
}

/** A JSON array of ids; undefined if it does not help. */
async function foundByIndex(
  meta: Meta,
  index: SearchIndex,
  words: readonly string[],
  among: Among,
  having: Having,
): Promise<string | undefined> {
  const most = CANDIDATES_AT_MOST[among]
  const named = await namedByIndex(meta, index, words, among, having)
  if (!named) return undefined
  const candidates = searched(meta, index)
    .select([sql.ref<string>(`${index.of}_id`).as('row_id'), 'text'])
    .where(named)
    .limit(most + 1)
  const isFound = sql<SqlBool>`${sql.join(
    words.map((word) => isPartOf(sql.ref('text'), word)),
    sql` and `,
  )}`
  const found = meta
    .selectFrom(candidates.as('candidate'))
    .select((eb) => [
      eb.fn.countAll<number>().as('candidates'),
      eb.fn.countAll<number>().filterWhere(isFound).as('found'),
      joinedAsJson(meta, 'row_id', isFound).as('ids'),
    ])
  const [[row]] = await meta.snapshot([found], 'routed', 'long')
  return row && row.candidates <= most && row.found <= FOUND_AT_MOST ? row.ids : undefined
}

/** The text of a row as the triggers write it into the index. */
export function searchedText(meta: Kysely<MetaTables>, index: SearchIndex) {
  const [name, other, id] = textsOf(meta, index)
  return sql<string>`${name} || ' ' || ${other} || ' ' || ${id} || '  '`
}

function textsOf(meta: Kysely<MetaTables>, { of, by }: SearchIndex) {
  const id = sql.ref(`${of}.id`)
  const plainId = isShared(meta) ? sql`lower(${id} collate "C")` : sql`lower(${id})`
  return [sql.ref(`${of}.folded_name`), sql.ref(`${of}.${by}`), plainId] as const
}

/** Three texts take less time than their concatenation. */
function isPartOfRow(meta: Meta, index: SearchIndex, word: string): Condition {
  const [name, other, id] = textsOf(meta, index)
  return sql<SqlBool>`(${isPartOf(name, word)} or ${isPartOf(other, word)} or ${isPartOf(id, word)})`
}

function isPartOf(text: RawBuilder<unknown>, word: string): Condition {
  return sql<SqlBool>`${text} like ${anywhere(word)} escape '\\'`
}

/** A superset of the matches; undefined if too large. */
async function namedByIndex(
  meta: Meta,
  index: SearchIndex,
  words: readonly string[],
  among: Among,
  having: Having,
): Promise<Condition | undefined> {
  const most = CANDIDATES_AT_MOST[among]
  const grams = words.flatMap(gramsOf)
  const [longest = ''] = words.toSorted((a, b) => b.length - a.length)
  const parts = grams.length > 0 ? grams : [longest]
  const hasRare = parts.some((part) => having(part) <= ENTRIES_AT_MOST)
  const useful = hasRare ? parts.filter((part) => having(part) <= FURTHER_ENTRIES_AT_MOST) : parts
  if (having(...useful) > most || (among === 'first' && !hasRare)) return undefined
  if (grams.length > 0) return withGrams(meta, index, useful, most)
  return isAsciiLetter(longest) ? undefined : withBeginning(meta, index, longest, most)
}

/** The fewest grams that cover the word. */
function gramsOf(word: string): readonly string[] {
  const letters = [...word]
  const last = letters.length - GRAM_LETTERS
  const starts = [...letters.keys()].filter((at) => at === last || (at < last && at % GRAM_LETTERS === 0))
  return starts.map((at) => letters.slice(at, at + GRAM_LETTERS).join(''))
}

/** Ids are full of single ASCII letters. */
function isAsciiLetter(word: string): boolean {
  return word.length === 1 && word <= '~'
}

function withGrams(meta: Meta, index: SearchIndex, grams: readonly string[], atMost: number): Condition {
  return isShared(meta)
    ? matchesTsquery(grams.map(tsLexeme).join(' & '))
    : matchesGrams(index, grams.map(quoted).join(' '), atMost)
}

/** Matches a word that is shorter than a gram. */
async function withBeginning(
  meta: Meta,
  index: SearchIndex,
  word: string,
  atMost: number,
): Promise<Condition | undefined> {
  if (isShared(meta)) return matchesTsquery(`${tsLexeme(word)}:*`)
  const terms = meta
    .selectFrom(sql<{ term: string }>`${sql.table(`${index.of}_gram_terms`)}`.as('terms'))
    .select('term')
    .where('term', '>=', word)
    .where('term', '<', word + LAST_CHARACTER)
    .limit(BEGINNING_AT_MOST + 1)
  const [rows] = await meta.snapshot([terms], 'routed', 'long')
  if (rows.length > BEGINNING_AT_MOST) return undefined
  return matchesGrams(index, rows.map(({ term }) => quoted(term)).join(' OR ') || quoted(''), atMost)
}

function matchesTsquery(query: string): Condition {
  return sql<SqlBool>`search_grams(text) @@ cast(${query} as tsquery)`
}

function tsLexeme(gram: string): string {
  return `'${gram.replace(/['\\]/g, '$&$&')}'`
}

function quoted(gram: string): string {
  return `"${gram.replaceAll('"', '""')}"`
}

function matchesGrams({ of }: SearchIndex, query: string, atMost: number): Condition {
  const grams = sql.table(`${of}_grams`)
  return sql<SqlBool>`number in (select rowid from ${grams} where ${grams} match ${query} limit ${atMost + 1})`
}
