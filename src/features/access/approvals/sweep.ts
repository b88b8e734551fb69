import type { Meta } from '../../../database/store.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { deleteNotifications } from '../../operations/notifications/statements.ts'
import { approvalLettersJob } from './letters.ts'
import * as store from './store.ts'

const AT_ONCE = 500

/** A call's outcome is kept for a day after its deadline, and so is its notification. */
export function approvalJobs(platform: Platform): readonly Job[] {
  return [
    approvalLettersJob(platform),
    {
      name: 'approvals-emptying',
      everySeconds: 60,
      run: () => store.emptyExpired(platform.meta, platform.now()),
    },
    {
      name: 'approvals-sweep',
      everySeconds: 3_600,
      run: () => forgetApprovals(platform.meta, platform.now() - DAY_MILLISECONDS),
    },
  ]
}

async function forgetApprovals(meta: Meta, before: number): Promise<void> {
  for (;;) {
    const ids = await store.approvalsBefore(meta, before, AT_ONCE)
    if (ids.length === 0) return
    const left = new Set(await deleteNotifications(meta, ids))
    await store.deleteApprovals(
      meta,
      ids.filter((id) => !left.has(id)),
    )
    if (ids.length < AT_ONCE || left.size > 0) return
  }
}
