import { z } from 'zod'
import type { Meta } from '../../../../database/store.ts'
import type { ProtectedCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { Id } from '../../../../rules/ids.ts'
import { listOf } from '../../../../rules/paging.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../../rules/time.ts'
import { sessionOfGrant } from '../../../access/grants/statements.ts'
import { eventsAfter } from '../../../ground/events/listing.ts'
import { positionAt } from '../../../ground/events/order.ts'
import { newestEvents, type Subject } from '../../../ground/events/statements.ts'
import { TYPES } from '../types.ts'
import { isSilent, knownReaders, type Reader, readAt, readTo, wasThere } from './readers.ts'

export const Verifiers = listOf(
  z.object({
    application: z.string(),
    verifier: z.string(),
    name: z.string(),
    version: z.string(),
    seen_at: z.int(),
    read_to: z.string(),
    lag_ms: z.int(),
  }),
)

export const AskReceipt = z.object({
  kind: z.enum(['session', 'grant', 'user', 'organization', 'application']),
  id: Id,
})
type AskReceipt = z.output<typeof AskReceipt>

const One = z.object({ application: z.string(), name: z.string() })

export const Receipt = z.object({
  ended_at: z.int(),
  refused_by: z.array(One.extend({ at: z.int() })),
  waiting: z.array(One.extend({ seen_at: z.int() })),
  /** `until`: until when it may accept what ended; null for one that asks about everything. */
  silent: z.array(One.extend({ seen_at: z.int(), until: z.int().nullable() })),
})

/** The verifiers of the last hour, those of one application together. */
export async function listVerifiers({ platform }: Pick<ProtectedCall, 'platform'>) {
  const readers = knownReaders(platform).list(platform.now()).toSorted(byApplication)
  const lags = await lagsOf(platform, readers)
  const items = readers.map((reader) => {
    const { application, verifier, name, version, seen_at } = reader
    const read_to = String(readTo(reader) ?? '')
    return { application, verifier, name, version, seen_at, read_to, lag_ms: lags.get(reader) ?? 0 }
  })
  return { items, total: items.length }
}

/** The verifiers that refuse what has ended, those that have not read of it yet, and those that are silent since. */
export async function getReceipt({ platform }: Pick<ProtectedCall, 'platform'>, asked: AskReceipt) {
  const now = platform.now()
  const end = await findEnd(platform.meta, asked, now)
  if (!end) throw new Refusal('NOT_FOUND', 'Nothing with this id ended in the last hour.')
  const refusing = new Map<Reader, number>()
  const others: Reader[] = []
  for (const reader of knownReaders(platform).list(now).toSorted(byApplication)) {
    if (!wasThere(reader, end.created_at)) continue
    const at = readAt(reader, end.position ?? Number.POSITIVE_INFINITY)
    if (at === undefined) others.push(reader)
    else refusing.set(reader, Math.max(at, end.created_at))
  }
  return {
    ended_at: end.created_at,
    refused_by: [...refusing].map(([reader, at]) => ({ ...named(reader), at })),
    waiting: others.filter((reader) => !isSilent(reader, now)).map(seen),
    silent: others
      .filter((reader) => isSilent(reader, now))
      .map((reader) => ({ ...seen(reader), until: reader.outage > 0 ? reader.seen_at + reader.outage * 1_000 : null })),
  }
}

function named({ application, name }: Reader) {
  return { application, name }
}

function seen(reader: Reader) {
  return { ...named(reader), seen_at: reader.seen_at }
}

function byApplication(a: Reader, b: Reader): number {
  return a.application.localeCompare(b.application) || a.name.localeCompare(b.name)
}

/** Of a user or an application it is the last thing that ended: who has read that refuses all that ended before. */
async function findEnd(meta: Meta, { kind, id }: AskReceipt, now: number) {
  if (kind === 'user' || kind === 'organization') return findEvent(meta, { by: `${kind}_id`, id }, TYPES, now)
  const about = (subject: string, type: 'session.ended' | 'grant.revoked', name: 'id' | 'client_id' = 'id') =>
    findEvent(meta, { by: 'data', name, id: subject }, [type], now)
  if (kind === 'application') return about(id, 'grant.revoked', 'client_id')
  if (kind === 'session') return about(id, 'session.ended')
  const revoked = await about(id, 'grant.revoked')
  const session = revoked ? undefined : await sessionOfGrant(meta, id)
  return session === undefined ? revoked : about(session, 'session.ended')
}

/** Most ask about what has just ended; the rest of the hour is read beside the requests. */
async function findEvent(meta: Meta, subject: Subject, types: readonly (typeof TYPES)[number][], now: number) {
  for (const [age, length] of [
    [MINUTE_MILLISECONDS, 'short'],
    [HOUR_MILLISECONDS, 'long'],
  ] as const) {
    const queries = newestEvents(meta, subject, types, positionAt(now - age))
    const [[placed], [unplaced]] = await meta.snapshot(queries, 'primary', length)
    const event = unplaced ?? placed
    if (event && event.created_at > now - HOUR_MILLISECONDS) return event
  }
  return undefined
}

/** For how long each has not read a revocation; those that have read equally far share one question. */
async function lagsOf(platform: Platform, readers: readonly Reader[]): Promise<ReadonlyMap<Reader, number>> {
  const lags = new Map<Reader, number>()
  const reading = readers.flatMap((reader) => [[reader, readTo(reader) ?? Number.POSITIVE_INFINITY] as const])
  let unread: Unread = { position: 0, occurred_at: Number.POSITIVE_INFINITY }
  for (const [reader, position] of reading.toSorted(([, a], [, b]) => a - b)) {
    if (unread.position <= position && Number.isFinite(position)) unread = await firstAfter(platform, position)
    lags.set(reader, unread.position <= position ? 0 : Math.max(0, platform.now() - unread.occurred_at))
  }
  return lags
}

interface Unread {
  readonly position: number
  readonly occurred_at: number
}

async function firstAfter(platform: Platform, position: number): Promise<Unread> {
  const { items } = await eventsAfter(platform, { after: String(position), types: TYPES, limit: 1 })
  return items[0] ?? { position: Number.POSITIVE_INFINITY, occurred_at: Number.POSITIVE_INFINITY }
}

/** How late the verifiers of each application are, without those that are silent. */
export function observeVerifiers(platform: Platform): void {
  platform.metrics.gauges('verifier_lag_seconds', ['application'], async () => {
    const now = platform.now()
    const readers = knownReaders(platform)
      .list(now)
      .filter((reader) => !isSilent(reader, now))
    const latest = new Map<string, number>()
    for (const [{ application }, lag] of await lagsOf(platform, readers))
      latest.set(application, Math.max(lag, latest.get(application) ?? 0))
    return [...latest].map(([application, lag]) => [{ application }, lag / 1_000] as const)
  })
}
