import { z } from 'zod'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { recordOf } from '../../../rules/free-form.ts'
import { newId } from '../../../rules/ids.ts'
import { nameOf } from '../../../rules/names.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { Scope } from '../../../rules/scopes.ts'
import { holds } from '../../../rules/staff.ts'
import { decide } from '../../ground/acts/acts.ts'
import { lockedAdministrator } from '../../people/users/statements.ts'
import * as store from './store.ts'

const AT_MOST = 100
const LISTS = ['users', 'audit', 'feedback', 'notifications'] as const

export const Filters = recordOf(
  z.string().max(64),
  z.union([z.string().max(254), z.array(z.string().max(254)).max(64)]),
)
export const View = z.object({
  list: z.enum(LISTS),
  name: nameOf(64),
  filters: Filters,
})

export type View = z.output<typeof View>

/** Who can read a list can use its views. */
const READ_WITH = {
  users: 'admin:users:read',
  audit: 'admin:audit:read',
  feedback: 'admin:feedback:read',
  notifications: 'admin:notifications:read',
} as const satisfies Record<View['list'], Scope>

function refuseOthers({ caller }: SignedInCall, ...lists: readonly View['list'][]): void {
  if (lists.some((list) => holds(caller.user, READ_WITH[list]))) return
  throw new Refusal('FORBIDDEN', 'Only who can read a list can use its views. Ask the administrator.')
}

export async function listViews(call: SignedInCall) {
  const { platform, caller } = call
  refuseOthers(call, ...LISTS)
  const views = await store.views(platform.meta).execute()
  const readable = views.filter(({ list }) => holds(caller.user, READ_WITH[list]))
  const items = await mapInTurns(readable, (view) => ({ ...view, filters: JSON.parse(view.filters) }))
  return { items, total: items.length }
}

/** Everybody who saves a view locks the administrator's row, so that no other is saved at the same time. */
export async function saveView(call: SignedInCall, { list, name, filters }: View) {
  refuseOthers(call, list)
  const { meta, now } = call.platform
  const locks = [lockedAdministrator(meta), store.lockedNames(meta)] as const
  return decide(call, locks, async (act, _, before) => {
    const namesake = before.find((view) => view.list === list && view.name === name)
    if (!namesake && before.length >= AT_MOST)
      throw new Refusal('QUOTA_EXCEEDED', `There can be ${AT_MOST} views. Delete one first.`)
    const id = namesake?.id ?? newId()
    act.write(store.saveView(meta, { id, list, name, filters: JSON.stringify(filters), created_at: now() }))
    act.record('view.save', { details: { name } })
    return { id }
  })
}

export async function deleteView(call: SignedInCall, id: string): Promise<void> {
  refuseOthers(call, ...LISTS)
  const { meta } = call.platform
  await decide(call, [store.lockedView(meta, id)], async (act, [view]) => {
    if (!view) throw new Refusal('NOT_FOUND', 'This view does not exist.')
    refuseOthers(call, view.list)
    act.write(store.deleteView(meta, id))
    act.record('view.delete', { details: { name: view.name } })
  })
}
