import { z } from 'zod'
import { isShared } from '../../../../database/sql/row-lock.ts'
import type { Job } from '../../../../platform/background.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { DAY_SECONDS } from '../../../../rules/time.ts'
import { knownReaders, Reader } from './readers.ts'

const NUMBER = 'verifiers'
/** Longer than a process is slow, so that none misses an entry. */
const ENTRY_SECONDS = 60
const READ_AT_ONCE = 200
/** A number is given before its entry is written. */
const PATIENCE_RUNS = 5
/** What another process has surely been told before. */
const TOLD_MILLISECONDS = 10_000

interface Told {
  /** Every entry up to this number was read, or waited for in vain. */
  upTo: number
  /** Entries that have a number and were not there yet, with the runs that are left for them. */
  readonly missing: Map<number, number>
}

const toldTo = new WeakMap<Platform, Told>()

/** Tells the other processes which verifiers were heard here, and reads what they tell: one entry a second each. */
export async function exchangeReaders(platform: Platform): Promise<void> {
  await tell(platform)
  await listen(platform)
}

async function tell(platform: Platform): Promise<void> {
  const { keyValue, now } = platform
  const heard = knownReaders(platform).takeNews(now() - TOLD_MILLISECONDS)
  if (heard.length === 0) return
  const number = await keyValue.increment(NUMBER, DAY_SECONDS)
  await keyValue.setIfAbsent(keyOf(number), JSON.stringify(heard), ENTRY_SECONDS)
}

async function listen(platform: Platform): Promise<void> {
  const { keyValue } = platform
  const last = Number((await keyValue.get(NUMBER))?.value ?? 0)
  const { missing } = expecting(platform, last)
  if (missing.size === 0) return
  const { found } = await keyValue.together([...missing.keys()].map(keyOf), [])
  for (const [number, runs] of missing) {
    const entry = found.get(keyOf(number))
    for (const reader of entry ? readersIn(entry.value) : []) knownReaders(platform).merge(reader)
    if (entry || runs === 0) missing.delete(number)
    else missing.set(number, runs - 1)
  }
}

/** What others have told up to this number, as far as it was not read yet. */
function expecting(platform: Platform, last: number): Told {
  const told: Told = toldTo.get(platform) ?? { upTo: 0, missing: new Map() }
  toldTo.set(platform, told)
  // The count begins anew when it has expired.
  if (told.upTo > last) told.upTo = 0
  const from = Math.max(told.upTo, last - READ_AT_ONCE)
  for (let number = from + 1; number <= last; number++) told.missing.set(number, PATIENCE_RUNS)
  told.upTo = last
  return told
}

function keyOf(number: number): string {
  return `${NUMBER} ${number}`
}

const Readers = z.array(Reader)

/** None in an entry of another version of this program. */
function readersIn(value: string): readonly Reader[] {
  const { data = [] } = Readers.safeParse(JSON.parse(value))
  return data
}

/** An embedded store has one process, which has nobody to tell. */
export function receiptJobs(platform: Platform): readonly Job[] {
  if (!isShared(platform.meta)) return []
  return [{ name: 'receipts', everySeconds: 1, run: () => exchangeReaders(platform) }]
}
