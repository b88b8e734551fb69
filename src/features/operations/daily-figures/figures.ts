import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { countSignUps } from '../../people/users/statements.ts'
import type { GetFigures } from './input.ts'
import * as store from './store.ts'

type Day = Awaited<ReturnType<typeof dayOf>>

/** Entries that are written late, by a process whose clock is behind, still count. */
const SETTLED_AFTER_MILLISECONDS = 5 * MINUTE_MILLISECONDS

/** Sign-ups and sign-ins by day. A day that is over is counted once in this process, day after day. */
export async function figuresOf(platform: Platform, { days: shown }: GetFigures) {
  const { now, versioned } = platform
  const today = Math.floor(now() / DAY_MILLISECONDS)
  const firstOpen = Math.floor((now() - SETTLED_AFTER_MILLISECONDS) / DAY_MILLISECONDS)
  const first = today - 2 * shown + 1
  const over = await versioned.read(`figures of ${shown} days`, firstOpen, () =>
    daysFrom(platform, first, firstOpen),
  )
  const days = [...over, ...(await daysFrom(platform, firstOpen, today + 1))].slice(-2 * shown)
  return { days: days.slice(shown), before: totalOf(days.slice(0, shown)) }
}

async function daysFrom(platform: Platform, first: number, end: number): Promise<readonly Day[]> {
  const days: Day[] = []
  for (let day = first; day < end; day++) days.push(await dayOf(platform, day))
  return days
}

async function dayOf({ meta }: Platform, day: number) {
  const from = day * DAY_MILLISECONDS
  const until = from + DAY_MILLISECONDS
  const statements = [countSignUps(meta, from, until), store.signIns(meta, from, until)] as const
  const [[signUps], [signIns]] = await meta.snapshot(statements, 'routed', 'long')
  return {
    day: new Date(from).toISOString().slice(0, 10),
    sign_ups: signUps?.users ?? 0,
    sign_ins: signIns?.sign_ins ?? 0,
    people: signIns?.people ?? 0,
    refused: signIns?.refused ?? 0,
  }
}

function totalOf(days: readonly Day[]) {
  const total = { sign_ups: 0, sign_ins: 0, refused: 0 }
  for (const { sign_ups, sign_ins, refused } of days) {
    total.sign_ups += sign_ups
    total.sign_ins += sign_ins
    total.refused += refused
  }
  return total
}
