import { z } from 'zod'
import { StoreUnavailable } from '../../../database/store.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { authenticateSecretClient } from '../../access/clients/clients.ts'
import { grantsEndedWith } from '../../access/grants/statements.ts'
import {
  awaitEventsAfter,
  CURSOR,
  type Event,
  type EventPage,
  eventsTogether,
  LATEST,
  refuseForeignCursor,
} from '../../ground/events/listing.ts'
import { together } from '../../ground/events/shared-waiting.ts'
import { areEventsOverdue } from '../../ground/events/statements.ts'
import { Introduction, noteReader } from './receipts/readers.ts'
import { TYPES } from './types.ts'

export const AskRevocations = z.object({
  after: z.string().regex(CURSOR, 'Send the `next` of an earlier response.').optional(),
  wait_seconds: z.int().min(0).max(25).default(0),
  nonce: z.string().max(64).optional(),
  /** True for a client that knows of organisations; an older one takes a response with one for broken. */
  organizations: z.boolean().default(false),
  client_id: z.string().max(64).optional(),
  client_secret: z.string().max(256).optional(),
  ...Introduction.shape,
})
export type AskRevocations = z.output<typeof AskRevocations>

export const Revocations = z.object({
  items: z.array(z.object({ kind: z.enum(['session', 'grant', 'user', 'organization']), id: z.string(), at: z.int() })),
  next: z.string(),
  /** A save can block any user or take a scope from any token, so everything learned before is out of date. */
  everyone: z.literal(true).optional(),
  nonce: z.string().optional(),
})
type Revocation = z.output<typeof Revocations>['items'][number]

const AT_ONCE = 1_000
/** Much longer than an event waits for its place, and than clocks differ. */
const OVERDUE_MILLISECONDS = 3_000

/**
 * Lists what ended since the cursor, in order, and waits for it if asked. Without a cursor it starts now: a verifier
 * that remembers nothing has nothing to forget. The nonce proves to a verifier that the response is new.
 */
export async function revocationsAfter(
  call: Call,
  { after, wait_seconds, nonce, organizations, ...form }: AskRevocations,
) {
  const told = organizations ? toldToAll : toldToOlder
  const client = await authenticateSecretClient(call, form)
  await refuseForeignCursor(call.platform, after)
  noteReader(call.platform, client.id, form, after)
  const query = { after: after ?? LATEST, types: TYPES, limit: AT_ONCE }
  const waitSeconds = after === undefined ? 0 : wait_seconds
  const first = await awaitEventsAfter(call.platform, query, waitSeconds, call.exchange.leaving)
  await together(call.platform, 'overdue revocations', () => refuseIfOverdue(call.platform))
  const { items, next } = await withWholePage(call.platform, first, told)
  // While it waited, its secret may have been replaced or the application deleted.
  if (waitSeconds > 0) await authenticateSecretClient(call, form)
  return {
    items: await withGrantsOfSessions(call.platform, items.flatMap(told)),
    next,
    ...(items.some((event) => concernsEveryone(event, organizations)) && { everyone: true as const }),
    ...(nonce !== undefined && { nonce }),
  }
}

/** Puts each grant behind the session that it ends with. */
async function withGrantsOfSessions(platform: Platform, items: readonly Revocation[]) {
  const sessions = items.filter(({ kind }) => kind === 'session').map(({ id }) => id)
  const grants = await together(platform, `grants of ${sessions}`, () => grantsEndedWith(platform.meta, sessions))
  return items.flatMap((item): Revocation[] => {
    const ended = item.kind === 'session' ? grants.filter(({ session_id }) => session_id === item.id) : []
    return [item, ...ended.map(({ id }) => ({ kind: 'grant' as const, id, at: item.at }))]
  })
}

/** A verifier that gets a response knows of everything before it. Without one, it checks each caller. */
async function refuseIfOverdue({ meta, now }: Platform): Promise<void> {
  const before = now() - OVERDUE_MILLISECONDS
  if (await areEventsOverdue(meta, before, TYPES)) throw new StoreUnavailable(meta.name)
}

/**
 * A verifier takes a page with fewer than `AT_ONCE` revocations for the last one, and not every event is a revocation.
 * An overdue event may have got its place since the first ones were read.
 */
async function withWholePage(platform: Platform, first: EventPage, told: typeof toldToAll): Promise<EventPage> {
  let { items, next } = first
  let missing = AT_ONCE - items.flatMap(told).length
  for (let isMore = true; isMore && missing > 0; ) {
    const page = await eventsTogether(platform, { after: next, types: TYPES, limit: missing })
    isMore = page.items.length === missing
    missing -= page.items.flatMap(told).length
    items = [...items, ...page.items]
    next = page.next
  }
  return { items, next }
}

function toldToOlder(event: Event): readonly Revocation[] {
  return toldToAll(event).filter(({ kind }) => kind !== 'organization')
}

/** A changed membership, role or active organisation is told as one of the user, whom verifiers ask about again. */
function toldToAll({ type, user_id, organization_id, data, occurred_at: at }: Event): readonly Revocation[] {
  if (type === 'settings.saved') return []
  if (/^organization/.test(type)) return itemOf('organization', organization_id, at)
  if (/^(?:user|factor|staff|member)\.|^session\.updated/.test(type)) return itemOf('user', user_id, at)
  return itemOf(type === 'session.ended' ? 'session' : 'grant', data.id, at)
}

function itemOf(kind: Revocation['kind'], id: unknown, at: number): readonly Revocation[] {
  return typeof id === 'string' ? [{ kind, id, at }] : []
}

/**
 * A suspension ends no grant, and a verifier that knows no organisation has none to ask about. Once it is over, callers
 * are remembered in no organisation who have one again.
 */
function concernsEveryone({ type, data: { part, fields } }: Event, knowsOrganizations: boolean): boolean {
  if (type === 'organization.suspended') return !knowsOrganizations
  if (type === 'organization.restored') return knowsOrganizations
  if (type !== 'settings.saved') return false
  if (part === 'organizations') return isOneOf(fields, ['permissions', 'roles'])
  return part === 'authentication' || part === 'scopes'
}

/** True also of a save that does not say what it changed. */
function isOneOf(changed: unknown, fields: readonly string[]): boolean {
  return !Array.isArray(changed) || changed.some((field) => fields.includes(field))
}
