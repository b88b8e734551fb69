import { sql } from 'kysely'
import { v4 as newId } from 'uuid'
import type { Meta } from '../../../database/store.ts'
import type { Part, Settings } from './model.ts'
import { REVISION } from './statements.ts'

export async function revision(meta: Meta): Promise<string> {
  const row = await meta.primary
    .selectFrom('settings')
    .select(REVISION.as('revision'))
    .executeTakeFirstOrThrow()
  return row.revision
}

export function record(meta: Meta) {
  return meta.primary
    .selectFrom('settings')
    .selectAll()
    .select(REVISION.as('revision'))
    .executeTakeFirstOrThrow()
}

/** If the record has changed since it was loaded, the revision becomes null, which the column refuses. */
export function update(
  meta: Meta,
  loaded: Settings,
  changes: readonly { readonly part: Part; readonly document: Settings[Part]; readonly version: number }[],
  history: string,
  now: number,
) {
  const columns = changes.flatMap(({ part, document, version }) => [
    [part, JSON.stringify(document)],
    [`${part}_version`, version],
  ])
  return meta.updateTable('settings').set({
    revision: sql<number>`case when ${REVISION} = ${loaded.revision} then revision + 1 end`,
    token: newId(),
    ...Object.fromEntries(columns),
    history,
    updated_at: now,
  })
}

/** Replaces every part, with versions that nobody has loaded. */
export async function replace(meta: Meta, documents: Pick<Settings, Part>, now: number): Promise<void> {
  await meta
    .updateTable('settings')
    .set((eb) => ({
      revision: eb('revision', '+', 1),
      token: newId(),
      authentication: JSON.stringify(documents.authentication),
      authentication_version: eb('authentication_version', '+', 1),
      email: JSON.stringify(documents.email),
      email_version: eb('email_version', '+', 1),
      credits: JSON.stringify(documents.credits),
      credits_version: eb('credits_version', '+', 1),
      ai: JSON.stringify(documents.ai),
      ai_version: eb('ai_version', '+', 1),
      brand: JSON.stringify(documents.brand),
      brand_version: eb('brand_version', '+', 1),
      assistants: JSON.stringify(documents.assistants),
      assistants_version: eb('assistants_version', '+', 1),
      updated_at: now,
    }))
    .execute()
}
