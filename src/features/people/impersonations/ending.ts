import type { ImpersonationTable } from '../../../database/schema/people/sessions.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../rules/time.ts'
import { type Act, decide } from '../../ground/acts/acts.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { endWhere, idIn } from '../sessions/sessions.ts'
import { lockedUser } from '../users/statements.ts'
import * as store from './store.ts'

type Open = Pick<ImpersonationTable, 'id' | 'user_id' | 'administrator_id'>
type Reason = 'stopped' | 'replaced' | 'expired' | 'signed out' | 'administrator signed out' | 'not allowed any more'

/** The row must be locked. */
export function endImpersonation(
  act: Act,
  platform: Platform,
  { id, user_id, administrator_id }: Open,
  reason: Reason,
) {
  const { meta, now } = platform
  endWhere(act, platform, idIn([id]), reason.replaceAll(' ', '_'))
  act.write(store.endImpersonation(meta, id, now()))
  act.record('impersonation.ended', { user: { id: user_id }, data: { id, by: administrator_id, reason } })
}

/** So verifiers hear of it as soon as they hear that a session has ended. */
const CHECKED_EVERY_SECONDS = 1

/**
 * Tells that acting has ended by something else than a stop. It was over at once, since each request asks whether it
 * still may be.
 */
export function impersonationsJob(platform: Platform): Job {
  return {
    name: 'impersonations',
    everySeconds: CHECKED_EVERY_SECONDS,
    atStart: true,
    async run() {
      const open = await store.openOnes(platform.meta)
      if (open.length === 0) return
      const { authentication } = await currentSettings(platform)
      for (const row of open) {
        const reason = authentication.impersonation === 'off' ? 'not allowed any more' : endOf(row, platform.now())
        if (reason) await endOpen(platform, row, reason)
      }
    },
  }
}

type OpenWithEnds = Awaited<ReturnType<typeof store.openOnes>>[number]

function endOf({ ends_at, administrators_ends_at }: OpenWithEnds, now: number): Reason | undefined {
  if (ends_at === null) return 'signed out'
  if (ends_at <= now) return 'expired'
  return administrators_ends_at === null || administrators_ends_at <= now ? 'administrator signed out' : undefined
}

async function endOpen(platform: Platform, { id, user_id }: Open, reason: Reason): Promise<void> {
  const { meta } = platform
  await decide({ platform }, [lockedUser(meta, user_id), store.openOne(meta, id)], async (act, _, [row]) => {
    if (row) endImpersonation(act, platform, row, reason)
  })
}

/** They are kept as long as the audit log, in which they are too. */
export function impersonationsSweep({ config, meta, now }: Platform): Job {
  return {
    name: 'impersonations-sweep',
    everySeconds: HOUR_SECONDS,
    run: () => store.deleteBefore(meta, now() - config.auditRetentionDays * DAY_MILLISECONDS),
  }
}
