import { isShared } from '../../sql/row-lock.ts'
import { ONLY_THIS_SCHEMA, statement } from '../counting.ts'
import type { Db } from '../migrate.ts'
import { searchIndex } from '../search-index.ts'

export function userSearch(db: Db) {
  const index = searchIndex(db, { of: 'user', by: 'email' })
  return [...(isShared(db) ? [ONLY_THIS_SCHEMA, GRAMS] : []), ...index].map(statement)
}

/** The function's cost keeps the planner from splitting every text. */
const GRAMS = `create function search_grams(text) returns tsvector language sql immutable strict parallel safe cost 1000
   return array_to_tsvector(
     array(select distinct substr($1, i, 3) from generate_series(1, char_length($1) - 2) as i)
   )`
