import type { SavedReplyTable } from '../../../database/schema/operations.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'

export function replies(meta: Meta) {
  return meta.selectFrom('saved_reply').selectAll().orderBy('name')
}

export function lockedNames(meta: Meta) {
  return meta.selectFrom('saved_reply').select(['id', 'name']).$call(lockRows(meta))
}

/** Replaces the reply of the same name, which keeps its id. */
export function saveReply(meta: Meta, reply: SavedReplyTable) {
  return meta
    .insertInto('saved_reply')
    .values(reply)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ text: reply.text }))
}

export function lockedReply(meta: Meta, id: string) {
  return meta.selectFrom('saved_reply').select('name').where('id', '=', id).$call(lockRows(meta))
}

export function deleteReply(meta: Meta, id: string) {
  return meta.deleteFrom('saved_reply').where('id', '=', id)
}
