import type { Meta } from '../../../database/store.ts'

export async function namesOfReplies({ primary }: Meta, ids: readonly string[]) {
  const rows = await primary.selectFrom('saved_reply').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
