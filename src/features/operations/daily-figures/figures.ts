import type { Platform } from '../../../platform/platform.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { countSignUps } from '../../people/users/statements.ts'
import { beginOf, dayAt, nameOf } from './days.ts'
import type { GetFigures } from './input.ts'
import * as store from './store.ts'

type Day = Awaited<ReturnType<typeof dayOf>>

/** Late entries, from a process whose clock is behind, still count. */
const SETTLED_AFTER_MILLISECONDS = 5 * MINUTE_MILLISECONDS

/**
 * Sign-ups and sign-ins by day. Days that are over are counted once in this process and remembered for the last
 * requested time zone and length only.
 */
export async function figuresOf(platform: Platform, { days: shown, time_zone }: GetFigures) {
  const { now, versioned } = platform
  const today = dayAt(now(), time_zone)
  const firstOpen = dayAt(now() - SETTLED_AFTER_MILLISECONDS, time_zone)
  const first = today - 2 * shown + 1
  const over = await versioned.read('figures', `${shown} days in ${time_zone} before ${firstOpen}`, () =>
    daysFrom(platform, first, firstOpen, time_zone),
  )
  const open = await daysFrom(platform, firstOpen, today + 1, time_zone)
  const days = [...over, ...open].slice(-2 * shown)
  return { days: days.slice(shown), before: totalOf(days.slice(0, shown)) }
}

async function daysFrom(platform: Platform, first: number, end: number, timeZone: string): Promise<readonly Day[]> {
  const days: Day[] = []
  for (let day = first; day < end; day++) days.push(await dayOf(platform, day, timeZone))
  return days
}

async function dayOf({ meta }: Platform, day: number, timeZone: string) {
  const from = beginOf(day, timeZone)
  const until = beginOf(day + 1, timeZone)
  const statements = [countSignUps(meta, from, until), store.signIns(meta, from, until)] as const
  const [[signUps], [signIns]] = await meta.snapshot(statements, 'routed', 'long')
  return {
    day: nameOf(day),
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
