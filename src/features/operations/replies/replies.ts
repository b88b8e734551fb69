import type { ProtectedCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { decide } from '../../ground/acts/acts.ts'
import { lockedAdministrator } from '../../people/users/statements.ts'
import type { Reply } from './input.ts'
import * as store from './store.ts'

/** More than anybody finds in a menu. */
const AT_MOST = 100

export async function listReplies({ meta }: Platform) {
  const items = await store.replies(meta).execute()
  return { items, total: items.length }
}

/** Locks the administrator's row, so that no other reply is saved at the same time. */
export async function saveReply(call: ProtectedCall, { name, text }: Reply) {
  const { meta, now } = call.platform
  const locks = [lockedAdministrator(meta), store.lockedNames(meta)] as const
  return decide(call, locks, async (act, _, before) => {
    const namesake = before.find((reply) => reply.name === name)
    if (!namesake && before.length >= AT_MOST)
      throw new Refusal('QUOTA_EXCEEDED', `There can be ${AT_MOST} replies. Delete one first.`)
    const id = namesake?.id ?? newId()
    act.write(store.saveReply(meta, { id, name, text, created_at: now() }))
    act.record('reply.save', { details: { name } })
    return { id }
  })
}

export async function deleteReply(call: ProtectedCall, id: string): Promise<void> {
  const { meta } = call.platform
  await decide(call, [store.lockedReply(meta, id)], async (act, [reply]) => {
    if (!reply) throw new Refusal('NOT_FOUND', 'This reply does not exist.')
    act.write(store.deleteReply(meta, id))
    act.record('reply.delete', { details: reply })
  })
}
