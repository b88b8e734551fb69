import type { SignedInCall } from '../../../http/route.ts'
import { newId } from '../../../rules/ids.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { signedOutMeanwhile } from '../../../rules/refusal.ts'
import { decide } from '../../ground/acts/acts.ts'
import { lockedActing } from '../sessions/acting.ts'
import { lockedUser } from '../users/statements.ts'
import * as store from './store.ts'

/** What the administrator did as the caller. */
export async function listImpersonations({ platform, caller }: SignedInCall, page: Page) {
  const { meta } = platform
  const { id } = caller.user
  const [[counted], rows, acts] = await meta.snapshot([
    store.countImpersonations(meta, id),
    store.impersonationsOf(meta, id, sliceOf(page)),
    store.actsOf(meta, id),
  ])
  const now = platform.now()
  const items = rows.map(({ id, administrator_id: by, reason, mode, started_at, ended_at, ends_at }) => ({
    ...{ id, by, reason, mode, started_at },
    // The row says a moment later that something has ended it.
    ended_at: ended_at ?? (ends_at !== null && ends_at > now ? null : Math.min(ends_at ?? now, now)),
    acts: acts.filter((act) => act.impersonation_id === id).map(({ route, at }) => ({ route, at })),
  }))
  return { items, total: Number(counted?.total ?? 0) }
}

/** Notes a request that changes something, for the user to see. Refuses it if the acting or the user has gone. */
export async function noteChange(call: SignedInCall, route: string): Promise<() => Promise<void>> {
  const { platform, caller } = call
  const { meta, now } = platform
  const { user, actor } = caller
  if (!actor) return async () => undefined
  const id = newId()
  const row = { id, impersonation_id: actor.impersonationId, user_id: user.id, route, at: now() }
  const going = [lockedUser(meta, user.id), lockedActing(meta, user.id, actor.impersonationId)] as const
  await decide(call, going, async (act, [held], [session]) => {
    if (!held || !session) throw signedOutMeanwhile()
    act.write(...store.insertAct(meta, row))
  })
  return () => store.deleteAct(meta, id)
}
