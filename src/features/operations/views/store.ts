import type { SavedViewTable } from '../../../database/schema/operations.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'

export function views(meta: Meta) {
  return meta.selectFrom('saved_view').selectAll().orderBy('list').orderBy('name')
}

export function lockedNames(meta: Meta) {
  return meta.selectFrom('saved_view').select(['id', 'list', 'name']).$call(lockRows(meta))
}

/** Replaces the view of the same name, which keeps its id. */
export function saveView(meta: Meta, view: SavedViewTable) {
  return meta
    .insertInto('saved_view')
    .values(view)
    .onConflict((conflict) => conflict.columns(['list', 'name']).doUpdateSet({ filters: view.filters }))
}

export function lockedView(meta: Meta, id: string) {
  return meta.selectFrom('saved_view').select(['list', 'name']).where('id', '=', id).$call(lockRows(meta))
}

export function deleteView(meta: Meta, id: string) {
  return meta.deleteFrom('saved_view').where('id', '=', id)
}
