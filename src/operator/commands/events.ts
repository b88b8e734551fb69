import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../../database/store.ts'
import { ListEvents } from '../../features/ground/events/input.ts'
import { awaitEventsAfter, type EventPage, type EventsAfter, envelopeOf } from '../../features/ground/events/listing.ts'
import type { Platform } from '../../platform/platform.ts'
import { escaped } from '../../rules/one-line.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { print, say } from './program/output.ts'
import { withPlatform } from './with-platform.ts'

const AT_ONCE = 1_000
const WAIT_SECONDS = 25
const RETRY_MILLISECONDS = 1_000

/** One event per line, from the stores of this host. */
export async function runEvents(argv: readonly string[]): Promise<number> {
  const { flags } = readArguments(argv, [], {
    follow: { type: 'boolean', short: 'f' },
    after: { type: 'string' },
    types: { type: 'string' },
  })
  const { follow: isFollowed = false, after = isFollowed ? 'latest' : undefined } = flags
  const query = ListEvents.safeParse({ after, types: flags.types?.split(','), limit: AT_ONCE })
  if (!query.success) throw new UsageError(query.error.issues.map(wordsFor).join('; '))
  const ended = wantedUntil()
  return withPlatform(async (platform) => {
    await show(platform, query.data, isFollowed, ended)
    return 0
  })
}

function wordsFor({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }) {
  return path[0] === 'after' ? '--after must be a cursor that was printed before, or latest' : message
}

/** Aborts on Ctrl-C, on a signal, or when the output's reader is gone. */
function wantedUntil(): AbortSignal {
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    end.abort()
  })
  return end.signal
}

async function show(platform: Platform, query: EventsAfter, isFollowed: boolean, ended: AbortSignal) {
  let { after } = query
  while (!ended.aborted) {
    const page = await nextPage(platform, { ...query, after }, isFollowed, ended)
    if (page === undefined) continue
    for (const event of page.items) await printLine(escaped(JSON.stringify(envelopeOf(event))), ended)
    after = page.next
    if (!isFollowed && page.items.length < AT_ONCE) break
  }
  if (after !== undefined) say(`Continue with --after ${after}`)
}

/** Undefined if the store was unavailable; a command that follows tries again. */
async function nextPage(
  platform: Platform,
  query: EventsAfter,
  isFollowed: boolean,
  ended: AbortSignal,
): Promise<EventPage | undefined> {
  const waitSeconds = isFollowed && query.after !== 'latest' ? WAIT_SECONDS : 0
  try {
    return await awaitEventsAfter(platform, query, waitSeconds, ended)
  } catch (error) {
    if (!isFollowed || !(error instanceof StoreUnavailable)) throw error
    say(`${error.message}; trying again`)
  }
  await wait(RETRY_MILLISECONDS, undefined, { signal: ended }).catch(() => undefined)
  return undefined
}

/** Waits if the reader is slower than the events. */
async function printLine(line: string, ended: AbortSignal): Promise<void> {
  if (ended.aborted || print(line)) return
  await once(process.stdout, 'drain', { signal: ended }).catch(() => undefined)
}
