import { v7 as newId } from 'uuid'
import { z } from 'zod'
import type { Platform } from '../../../platform/platform.ts'
import { nameOf } from '../../../rules/names.ts'
import { Refusal } from '../../../rules/refusal.ts'
import * as store from './store.ts'

const AT_MOST = 100

export const Filters = z.record(
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
  const items = await store.views(meta)
  return { items: items.map((view) => ({ ...view, filters: JSON.parse(view.filters) })), total: items.length }
}

export async function saveView({ meta, now }: Platform, { list, name, filters }: View) {
  const before = await store.views(meta)
  const isNew = !before.some((view) => view.list === list && view.name === name)
  if (isNew && before.length >= AT_MOST)
    throw new Refusal('QUOTA_EXCEEDED', `There can be ${AT_MOST} views. Delete one first.`)
  return store.saveView(meta, {
    id: newId(),
    list,
    name,
    filters: JSON.stringify(filters),
    created_at: now(),
  })
}

export async function deleteView({ meta }: Platform, id: string) {
  if (!(await store.deleteView(meta, id))) throw new Refusal('NOT_FOUND', 'There is no such view.')
  return {}
}
