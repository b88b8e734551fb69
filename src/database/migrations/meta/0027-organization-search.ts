import { statement } from '../counting.ts'
import type { Db } from '../migrate.ts'
import { searchIndex } from '../search-index.ts'

export function organizationSearch(db: Db) {
  return searchIndex(db, { of: 'organization', by: 'slug' }).map(statement)
}
