import { sql } from 'kysely'
import { v4 as newId } from 'uuid'
import { statement } from '../../../database/prepared.ts'
import type { Meta } from '../../../database/store.ts'
import { type Documents, type Part, parts } from './model.ts'
import { columnsOf, REVISION } from './statements.ts'

export async function getRevision(meta: Meta): Promise<string> {
  const [row] = await meta.primary.run(storedRevision(meta))
  if (!row) throw new Error('there are no settings')
  return row.revision
}

const storedRevision = statement((meta: Meta) => meta.selectFrom('settings').select(REVISION.as('revision')))

export function getRow(meta: Meta) {
  return meta.primary.selectFrom('settings').selectAll().select(REVISION.as('revision')).executeTakeFirstOrThrow()
}

export async function savedAt(meta: Meta): Promise<number> {
  const row = await meta.primary.selectFrom('settings').select('updated_at').executeTakeFirstOrThrow()
  return row.updated_at
}

export function updateRow(meta: Meta, changes: Parameters<typeof columnsOf<number>>[0], history: string, now: number) {
  return meta.updateTable('settings').set((eb) => ({
    revision: eb('revision', '+', 1),
    token: newId(),
    ...columnsOf(changes),
    history,
    updated_at: now,
  }))
}

/** Replaces every part, with versions that nobody has loaded. */
export async function replaceDocuments(meta: Meta, documents: Documents, now: number): Promise<void> {
  const next = (part: Part) => sql<number>`${sql.ref(`${part}_version`)} + 1`
  await meta
    .updateTable('settings')
    .set((eb) => ({
      revision: eb('revision', '+', 1),
      token: newId(),
      ...columnsOf(parts.map((part) => ({ part, document: documents[part], version: next(part) }))),
      updated_at: now,
    }))
    .execute()
}
