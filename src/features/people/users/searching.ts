import { type Found, foundIn, type SearchIndex } from '../../../database/searching.ts'
import type { Meta } from '../../../database/store.ts'
import type { ListUsers } from './input.ts'

export const USER_SEARCH: SearchIndex = { of: 'user', by: 'email' }

export function foundBy(meta: Meta, search = '', among?: ListUsers['search_among']): Promise<Found> {
  return foundIn(meta, USER_SEARCH, search, among)
}
