import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { kept } from '../../../database/instance.ts'
import { rowCount } from '../../../database/row-counts.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { amongJson, anywhere, type Condition } from '../../../database/sql/conditions.ts'
import { joinedAsJson } from '../../../database/sql/joined.ts'
import { isShared } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { foldedWords } from '../../../rules/folded.ts'
import type { ListUsers } from './input.ts'

/** Names the id up to which users from before the index have been added; all others always are in it. */
export const USERS_IN_INDEX = 'users_in_search_index'
export const ALL = 'all'

type Among = NonNullable<ListUsers['search_among']>
/** Estimates from a sample how many users have all these parts. */
type Having = (...parts: readonly string[]) => number

/** If more are found, reading all users takes no longer. */
const FOUND_AT_MOST = 1_000
/** How many users the index may name before their texts are compared with each word. */
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

export interface UserSearch {
  readonly conditions: readonly Condition[]
  /** The number of users the search would have to read; undefined if the index names the matches. */
  readonly toRead: number | undefined
}

/**
 * The conditions that each word is part of the name, the address or the id. Among the `first`, the index is not used
 * if very many users have each piece: going through them takes longer than reading some of the users.
 */
export async function foundBy(meta: Meta, search = '', among: Among = 'all'): Promise<UserSearch> {
  const words = foldedWords(search)
  if (words.length === 0) return { conditions: [], toRead: undefined }
  const queries = [kept(meta, USERS_IN_INDEX), rowCount(meta, 'user'), sample(meta)] as const
  const [[progress], [size], some] = await meta.snapshot(queries)
  const users = size?.total ?? 0
  const having = (...parts: readonly string[]) => {
    const seen = some.filter(({ text }) => parts.every((part) => text.includes(part))).length
    return seen < SEEN_AT_LEAST ? 0 : (users * seen) / some.length
  }
  const isIndexUseful = progress?.value === ALL && having(...words) <= FOUND_AT_MOST
  const ids = isIndexUseful ? await foundByIndex(meta, words, among, having) : undefined
  return ids
    ? { conditions: [amongJson(meta, 'user.id', ids)], toRead: undefined }
    : { conditions: words.map((word) => isPartOfUser(meta, word)), toRead: users }
}

/** Samples users of every age, since some grams of an id or a number come from the time of the sign-up. */
function sample(meta: Meta) {
  const texts = meta.selectFrom('user_search').select('text')
  return isShared(meta) ? texts.where(firstOfSomeBlocks) : texts.where(atSomeNumbers)
}

/** Spread by the golden ratio: evenly, and out of step with any pattern among users. */
const SHARES = JSON.stringify(Array.from({ length: SAMPLE }, (_, i) => ((i + 1) * 0.618_033_988_75) % 1))

const atSomeNumbers = sql<SqlBool>`number in
  (select cast(value * (select max(number) from user_search) as integer) from json_each(${SHARES}))`

const firstOfSomeBlocks = sql<SqlBool>`ctid = any (array(
  select cast(format('(%s,1)', greatest(0, cast(ceil(cast(share as double precision) * pg_relation_size('user_search')
    / cast(current_setting('block_size') as bigint)) as bigint) - 1)) as tid)
  from json_array_elements_text(cast(${SHARES} as json)) as share))`

/** A JSON array of ids; undefined if it does not help. */
async function foundByIndex(
  meta: Meta,
  words: readonly string[],
  among: Among,
  having: Having,
): Promise<string | undefined> {
  const most = CANDIDATES_AT_MOST[among]
  const named = await namedByIndex(meta, words, among, having)
  if (!named) return undefined
  const candidates = meta
    .selectFrom('user_search')
    .select(['user_id', 'text'])
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
      joinedAsJson(meta, 'user_id', isFound).as('ids'),
    ])
  const [[row]] = await meta.snapshot([found], 'routed', 'long')
  return row && row.candidates <= most && row.found <= FOUND_AT_MOST ? row.ids : undefined
}

/** The text of a user as the triggers write it into the index. */
export function searchedText(meta: Kysely<MetaTables>) {
  const [name, email, id] = textsOf(meta)
  return sql<string>`${name} || ' ' || ${email} || ' ' || ${id} || '  '`
}

function textsOf(meta: Kysely<MetaTables>) {
  const id = sql.ref('user.id')
  const plainId = isShared(meta) ? sql`lower(${id} collate "C")` : sql`lower(${id})`
  return [sql.ref('user.folded_name'), sql.ref('user.email'), plainId] as const
}

/** Three texts take less time than their concatenation. */
function isPartOfUser(meta: Meta, word: string): Condition {
  const [name, email, id] = textsOf(meta)
  return sql<SqlBool>`(${isPartOf(name, word)} or ${isPartOf(email, word)} or ${isPartOf(id, word)})`
}

function isPartOf(text: RawBuilder<unknown>, word: string): Condition {
  return sql<SqlBool>`${text} like ${anywhere(word)} escape '\\'`
}

/** A superset of the matches; undefined if too large. */
async function namedByIndex(
  meta: Meta,
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
  if (grams.length > 0) return withGrams(meta, useful, most)
  return isAsciiLetter(longest) ? undefined : withBeginning(meta, longest, most)
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

function withGrams(meta: Meta, grams: readonly string[], atMost: number): Condition {
  return isShared(meta)
    ? matchesTsquery(grams.map(tsLexeme).join(' & '))
    : matchesGrams(grams.map(quoted).join(' '), atMost)
}

/** Matches a word that is shorter than a gram. */
async function withBeginning(meta: Meta, word: string, atMost: number): Promise<Condition | undefined> {
  if (isShared(meta)) return matchesTsquery(`${tsLexeme(word)}:*`)
  const terms = meta
    .selectFrom(sql<{ term: string }>`user_gram_terms`.as('terms'))
    .select('term')
    .where('term', '>=', word)
    .where('term', '<', word + LAST_CHARACTER)
    .limit(BEGINNING_AT_MOST + 1)
  const [rows] = await meta.snapshot([terms], 'routed', 'long')
  if (rows.length > BEGINNING_AT_MOST) return undefined
  return matchesGrams(rows.map(({ term }) => quoted(term)).join(' OR ') || quoted(''), atMost)
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

function matchesGrams(query: string, atMost: number): Condition {
  return sql<SqlBool>`number in (select rowid from user_grams where user_grams match ${query} limit ${atMost + 1})`
}
