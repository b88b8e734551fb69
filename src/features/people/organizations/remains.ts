import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { MINUTE_SECONDS } from '../../../rules/time.ts'
import { endSomeGrantsIn } from '../../access/grants/statements.ts'
import { deleteRemains, nextRemains } from '../memberships/remains.ts'

export const REMAINS_JOB = 'organization-remains'

/** Ends the access that was given in organisations that have been deleted, and deletes their rows and those of teams. */
export function organizationRemains({ meta, now }: Pick<Platform, 'meta' | 'now'>): Job {
  return {
    name: REMAINS_JOB,
    everySeconds: MINUTE_SECONDS,
    atStart: true,
    async run() {
      for (let next = await nextRemains(meta); next; next = await nextRemains(meta)) {
        if (next.kind === 'organization') await endGrants(meta, next.id, now)
        await deleteRemains(meta, next)
      }
    },
  }
}

async function endGrants(meta: Platform['meta'], organizationId: string, now: () => number): Promise<void> {
  for (let ended = GRANTS_AT_ONCE; ended === GRANTS_AT_ONCE; ) {
    const [first, ...rest] = endSomeGrantsIn(meta, organizationId, now(), GRANTS_AT_ONCE)
    const rows = await meta.batch([first, ...rest])
    ended = rows.most()
  }
}

const GRANTS_AT_ONCE = 200
