import { z } from 'zod'
import { Done, Nothing } from '../../../http/requests/body.ts'
import { sessionRoute } from '../../../http/route.ts'
import { Id } from '../../../rules/ids.ts'
import { listOf } from '../../../rules/paging.ts'
import { deleteView, Filters, listViews, saveView, View } from './views.ts'

/** Filters with a name, shared by everybody who works in the console. */
export const viewRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/admin/list_views',
    summary: 'The saved views of the lists that the caller can read',
    input: Nothing,
    output: listOf(
      z.object({ id: z.string(), list: z.string(), name: z.string(), filters: Filters, created_at: z.int() }),
    ),
    handle: listViews,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/admin/save_view',
    summary: 'Save a view of a list; it replaces a view with the same name',
    input: View,
    output: z.object({ id: z.string() }),
    handle: saveView,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/admin/delete_view',
    summary: 'Delete a saved view',
    input: z.object({ id: Id }),
    output: Done,
    handle: (call, { id }) => deleteView(call, id),
  }),
] as const
