import { currentReadPosition } from '../../../database/current-request.ts'
import { Answer } from '../../../http/answers/answer.ts'
import { refuseRestricted } from '../../../http/protect.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { Refusal, signedOutMeanwhile } from '../../../rules/refusal.ts'
import { CURSOR, eventsAfter, LATEST } from '../../ground/events/listing.ts'
import { countUnread } from '../../operations/notifications/notifications.ts'
import { findCallerById } from '../../people/callers/find-caller.ts'
import { findShardOf } from '../../tenancy/shards/shards.ts'
import { LiveConnection } from './connection.ts'
import { FOLLOWED, LIVE_TYPES, LiveHub } from './hub.ts'

const MOST_PAGES = 8
const MISSED_AT_ONCE = 500
const MOST_TURNS = 4
const RETRY_MILLISECONDS = 2_000

/** One for each process, for as long as its platform lives. */
const hubs = new WeakMap<Platform, LiveHub>()

function hubOf(platform: Platform): LiveHub {
  const hub = hubs.get(platform) ?? new LiveHub(platform)
  hubs.set(platform, hub)
  return hub
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=UTF-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** Stays open. Events missed since `Last-Event-ID` come first, then the unread count, then new events. */
export async function openLive(call: SignedInCall): Promise<Answer> {
  const { platform, caller, exchange } = call
  if (exchange.method === 'HEAD') return new Answer(null, 200, HEADERS)
  currentReadPosition()?.askForNewest()
  const hub = hubOf(platform)
  if (hub.countOf(caller.user.id) >= MOST_PAGES) {
    exchange.setHeader('retry-after', '60')
    throw new Refusal('RATE_LIMITED', 'You have too many pages open.')
  }
  const connection = new LiveConnection(caller)
  try {
    await hub.add(connection)
    connection.applyCaller(await readCallerAgain(call))
    // Keeps the pages of an ended process from all reconnecting at the same moment.
    connection.retryAfter(Math.round(RETRY_MILLISECONDS * (1 + Math.random())))
    await sendMissed(call, connection)
    await sendUnread(call, connection)
    connection.goOn()
  } catch (error) {
    connection.close()
    throw error
  }
  return new Answer(connection, 200, HEADERS)
}

/** Reads the caller again, since the connection is not sent what happened before it was added. */
async function readCallerAgain({ platform, caller }: SignedInCall): Promise<Caller> {
  const now = await findCallerById(platform, caller.credential.kind, caller.credential.id)
  if (!now) throw signedOutMeanwhile()
  refuseRestricted(now)
  return now
}

/** The events of all users are searched, so only a short absence is made up for event by event. */
async function sendMissed({ platform, exchange }: SignedInCall, connection: LiveConnection) {
  let next = exchange.header('last-event-id')
  const types = connection.isOfAdministration ? FOLLOWED : LIVE_TYPES
  if (next === undefined || !CURSOR.test(next)) return
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const page = await eventsAfter(platform, { after: next, types, limit: MISSED_AT_ONCE })
    for (const event of page.items.filter((one) => connection.isFor(one))) connection.sendOnce(event)
    if (page.items.length < MISSED_AT_ONCE || connection.isClosed) return
    next = page.next
  }
  const { next: end } = await eventsAfter(platform, { after: LATEST, limit: 1 })
  connection.write('missed', {}, Number(end))
}

async function sendUnread({ platform, caller }: SignedInCall, connection: LiveConnection): Promise<void> {
  if (caller.isGated) return
  const shard = await findShardOf(platform, caller.user.id)
  if (shard) connection.write('unread', { count: await countUnread(platform, shard, caller.user.id) })
}
