import type { Kysely } from 'kysely'
import { prepared } from '../../database/prepared.ts'
import type { MetaTables } from '../../database/schema/tables.ts'
import type { Meta } from '../../database/store.ts'

export async function applicationById({ primary }: Meta, id: string) {
  const [row] = await primary.run(byId(primary, { id }))
  return row
}

const byId = prepared({ id: '' }, (db: Kysely<MetaTables>, { id }) =>
  db.selectFrom('application').selectAll().where('id', '=', id),
)
