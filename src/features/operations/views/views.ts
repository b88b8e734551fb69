import { z } from 'zod'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { recordOf } from '../../../rules/free-form.ts'
import { newId } from '../../../rules/ids.ts'
import { nameOf } from '../../../rules/names.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { lockedUser } from '../../people/users/statements.ts'
import * as store from './store.ts'

const AT_MOST = 100

export const Filters = recordOf(
  z.string().max(64),
  z.union([z.string().max(254), z.array(z.string().max(254)).max(64)]),
)
export const View = z.object({
  list: z.enum(['users', 'audit', 'feedback', 'notifications']),
  name: nameOf(64),
  filters: Filters,
})

export type View = z.output<typeof View>

export async function listViews({ meta }: Platform) {
  const views = await store.views(meta).execute()
  const items = await mapInTurns(views, (view) => ({ ...view, filters: JSON.parse(view.filters) }))
  return { items, total: items.length }
}

/** Locks the administrator's row, so that no other view is saved at the same time. */
export async function saveView(call: ProtectedCall, { list, name, filters }: View) {
  const { platform, caller } = call
  const { meta, now } = platform
  const locks = [lockedUser(meta, caller.user.id), store.lockedNames(meta)] as const
  return meta.decide(locks, async (decision, _, before) => {
    const namesake = before.find((view) => view.list === list && view.name === name)
    if (!namesake && before.length >= AT_MOST)
      throw new Refusal('QUOTA_EXCEEDED', `There can be ${AT_MOST} views. Delete one first.`)
    const id = namesake?.id ?? newId()
    decision.write(store.saveView(meta, { id, list, name, filters: JSON.stringify(filters), created_at: now() }))
    return { id }
  })
}

export async function deleteView({ meta }: Platform, id: string) {
  if (!(await store.deleteView(meta, id))) throw new Refusal('NOT_FOUND', 'This view does not exist.')
  return {}
}
