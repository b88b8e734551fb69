import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { kept } from '../../../database/instance.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { amongJson, anywhere, type Condition } from '../../../database/sql/conditions.ts'
import { isShared } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { foldedWords } from '../../../rules/folded.ts'

/** Up to which id users from before the index are in it; everybody else always is. */
export const USERS_IN_INDEX = 'users_in_search_index'
export const ALL = 'all'

/** If the index finds more users, reading all of them takes no longer. */
const RARE_AT_MOST = 2_000
const SAMPLE = 100
const COMMON_IN_SAMPLE = 3
const GRAM_LETTERS = 3
/** An embedded store takes as long as for the square of their number. */
const BEGINNING_AT_MOST = 500
const LAST_CHARACTER = '\u{10ffff}'

/** Conditions for users: each word is part of the name, the address or the id. */
export async function foundBy(meta: Meta, search = ''): Promise<readonly Condition[]> {
  const words = foldedWords(search)
  if (words.length === 0) return []
  const ids = await foundByIndex(meta, words)
  return ids ? [amongJson(meta, 'user.id', JSON.stringify(ids))] : containing(searchedText(meta), words)
}

/** Undefined if the index is not complete, or does not help. */
async function foundByIndex(meta: Meta, words: readonly string[]): Promise<readonly string[] | undefined> {
  const indexed = meta.selectFrom('user_search')
  const sample = indexed.select('text').orderBy('user_id', 'desc').limit(SAMPLE)
  const [[progress], some] = await meta.snapshot([kept(meta, USERS_IN_INDEX), sample])
  const named = await namedByIndex(meta, words, (gram) => isCommon(some, gram))
  if (progress?.value !== ALL || !named) return undefined
  const conditions = [named, ...containing(sql.ref('text'), words)]
  const found = indexed
    .select('user_id')
    .where((eb) => eb.and(conditions))
    .limit(RARE_AT_MOST + 1)
  const [rows] = await meta.snapshot([found], 'routed', 'long')
  return rows.length > RARE_AT_MOST ? undefined : rows.map(({ user_id }) => user_id)
}

/** What many users have, such as the end of their address, narrows nothing and is long to go through. */
function isCommon(sample: readonly { readonly text: string }[], gram: string): boolean {
  return sample.filter(({ text }) => text.includes(gram)).length >= COMMON_IN_SAMPLE
}

/** As the triggers write it into the index. */
export function searchedText(meta: Kysely<MetaTables>) {
  const [name, email, id] = ['user.folded_name', 'user.email', 'user.id'].map((column) => sql.ref(column))
  const plainId = isShared(meta) ? sql`lower(${id} collate "C")` : sql`lower(${id})`
  return sql<string>`${name} || ' ' || ${email} || ' ' || ${plainId} || '  '`
}

function containing(text: RawBuilder<unknown>, words: readonly string[]): readonly Condition[] {
  return words.map((word) => sql<SqlBool>`${text} like ${anywhere(word)} escape '\\'`)
}

/** Holds for all users that the words find, and for some more; undefined if it would hold for nearly everybody. */
async function namedByIndex(
  meta: Meta,
  words: readonly string[],
  isCommonGram: (gram: string) => boolean,
): Promise<Condition | undefined> {
  const grams = words.flatMap(gramsOf)
  const rare = grams.filter((gram) => !isCommonGram(gram))
  if (grams.length > 0) return withGrams(meta, rare.length > 0 ? rare : grams)
  const [longest] = words.toSorted((a, b) => b.length - a.length)
  return longest === undefined || isAsciiLetter(longest) ? undefined : withBeginning(meta, longest)
}

/** As few as cover the word. */
function gramsOf(word: string): readonly string[] {
  const letters = [...word]
  const last = letters.length - GRAM_LETTERS
  const starts = [...letters.keys()].filter((at) => at === last || (at < last && at % GRAM_LETTERS === 0))
  return starts.map((at) => letters.slice(at, at + GRAM_LETTERS).join(''))
}

/** Ids are full of them. */
function isAsciiLetter(word: string): boolean {
  return word.length === 1 && word <= '~'
}

function withGrams(meta: Meta, grams: readonly string[]): Condition {
  return isShared(meta)
    ? matchesTsquery(grams.map(tsLexeme).join(' & '))
    : matchesGrams(grams.map(quoted).join(' '))
}

/** For a word that is shorter than a gram. */
async function withBeginning(meta: Meta, word: string): Promise<Condition | undefined> {
  if (isShared(meta)) return matchesTsquery(`${tsLexeme(word)}:*`)
  const terms = meta
    .selectFrom(sql<{ term: string }>`user_gram_terms`.as('terms'))
    .select('term')
    .where('term', '>=', word)
    .where('term', '<', word + LAST_CHARACTER)
    .limit(BEGINNING_AT_MOST + 1)
  const [rows] = await meta.snapshot([terms], 'routed', 'long')
  if (rows.length > BEGINNING_AT_MOST) return undefined
  return matchesGrams(rows.map(({ term }) => quoted(term)).join(' OR ') || quoted(''))
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

function matchesGrams(query: string): Condition {
  return sql<SqlBool>`number in (select rowid from user_grams where user_grams match ${query})`
}
