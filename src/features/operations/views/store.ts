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

export function findView({ primary }: Meta, id: string) {
  return primary.selectFrom('saved_view').select('list').where('id', '=', id).executeTakeFirst()
}

export async function deleteView(meta: Meta, id: string): Promise<void> {
  await meta.deleteFrom('saved_view').where('id', '=', id).execute()
}
