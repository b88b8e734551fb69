import { v7 as newId } from 'uuid'
import { z } from 'zod'
import { Done, Nothing } from '../../http/requests/body.ts'
import { protectedRoute } from '../../http/route.ts'
import { Id } from '../../rules/ids.ts'
import { nameOf } from '../../rules/names.ts'
import { listOf } from '../../rules/paging.ts'
import { Refusal } from '../../rules/refusal.ts'
import * as store from './store.ts'

const AT_MOST = 100

const Filters = z.record(
  z.string().max(64),
  z.union([z.string().max(254), z.array(z.string().max(254)).max(64)]),
)
const View = z.object({
  list: z.enum(['users', 'audit', 'feedback', 'notifications']),
  name: nameOf(64),
  filters: Filters,
})

/** Filters with a name, shared by everybody who works in the console. */
export const viewRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_views',
    summary: 'The saved views of the lists',
    scope: 'admin:users:read',
    grants: 'refused',
    input: Nothing,
    output: listOf(
      z.object({ id: z.string(), list: z.string(), name: z.string(), filters: Filters, created_at: z.int() }),
    ),
    handle: async ({ platform: { meta } }) => {
      const items = await store.views(meta)
      return {
        items: items.map((view) => ({ ...view, filters: JSON.parse(view.filters) })),
        total: items.length,
      }
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/save_view',
    summary: 'Save a view of a list; it replaces its namesake',
    scope: 'admin:users:write',
    grants: 'refused',
    input: View,
    output: z.object({ id: z.string() }),
    handle: async ({ platform: { meta, now } }, { list, name, filters }) => {
      const before = await store.views(meta)
      if (before.length >= AT_MOST && !before.some((view) => view.list === list && view.name === name))
        throw new Refusal('QUOTA_EXCEEDED', `There can be ${AT_MOST} views. Delete one first.`)
      return store.saveView(meta, {
        id: newId(),
        list,
        name,
        filters: JSON.stringify(filters),
        created_at: now(),
      })
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/delete_view',
    summary: 'Delete a saved view',
    scope: 'admin:users:write',
    grants: 'refused',
    input: z.object({ id: Id }),
    output: Done,
    handle: async ({ platform: { meta } }, { id }) => {
      if (!(await store.deleteView(meta, id))) throw new Refusal('NOT_FOUND', 'There is no such view.')
      return {}
    },
  }),
] as const
