import { v7 as newId } from 'uuid'
import type { SignedInCall } from '../../../http/route.ts'
import type { Sender } from '../../../http/sender/sender.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Action, Subject } from '../../../rules/acts.ts'
import { maskedAddress } from '../../../rules/email.ts'
import type { EventType } from '../../../rules/event-types.ts'
import { insertEvent, type NewEvent, type NewRow } from '../events/statements.ts'
import * as store from './store.ts'

/** The user who acted, and the address; no id if nobody is signed in. */
export interface Actor {
  readonly id: string | null
  readonly address: string | null
}

/** The act and its target. Details are facts for people to read, never secrets. */
export interface NewEntry {
  readonly action: Action
  readonly subject?: { readonly type: Subject; readonly id: string }
  readonly details?: Readonly<Record<string, unknown>>
  /** The event that products receive; the same row is in both views. */
  readonly event?: NewEvent
}

/** The operator at the server's own command line, or the service by itself. */
export const HOST: Actor = { id: null, address: null }

export function actorOf({ caller, sender }: Pick<SignedInCall, 'caller' | 'sender'>): Actor {
  return { id: caller.user.id, address: sender.address }
}

export function anonymous({ address }: Sender): Actor {
  return { id: null, address }
}

/** Details of a sign-in, successful or not. */
export function programOf({ userAgent }: Sender): { readonly user_agent?: string } {
  return userAgent === '' ? {} : { user_agent: userAgent }
}

type Recorder = Pick<Platform, 'meta' | 'now'>

/** Goes into the batch that carries out the act. */
export function auditEntry(platform: Recorder, actor: Actor, act: NewEntry, id?: string) {
  return insertEvent(platform.meta, auditRow(platform, actor, act, id))
}

/** Written in a shard; the relay copies the row over. */
export function auditRow({ now }: Pick<Platform, 'now'>, actor: Actor, act: NewEntry, id: string = newId()): NewRow {
  const { action, subject, details = {}, event = eventOfAct(actor, act) } = act
  return {
    id,
    created_at: now(),
    action,
    actor_id: actor.id,
    subject_type: subject?.type ?? null,
    subject_id: subject?.id ?? null,
    ip: actor.address,
    details: JSON.stringify(details),
    type: event?.type ?? null,
    user_id: event?.user_id ?? null,
    data: event ? JSON.stringify(event.data) : null,
  }
}

/**
 * Goes into the batch of the entry with this id: the address somebody tried to sign in with, masked, and found by its
 * hash.
 */
export function refusedAddress({ meta, signer }: Pick<Platform, 'meta' | 'signer'>, id: string, email: string) {
  const row = { event_id: id, address_hash: refusedHash(signer, email), masked: maskedAddress(email) }
  return store.insertRefusedAddress(meta, row)
}

/** Goes into the batch that deletes the user of this address. */
export function forgetRefusedAddress({ meta, signer }: Pick<Platform, 'meta' | 'signer'>, email: string) {
  return store.deleteRefusedAddress(meta, refusedHash(signer, email))
}

export function refusedHash(signer: Platform['signer'], email: string): string {
  return signer.digest('refused-address', email)
}

export async function recordAudit(platform: Recorder, actor: Actor, act: NewEntry): Promise<void> {
  await platform.meta.batch([auditEntry(platform, actor, act)])
}

/** Acts that products receive under another name, with the same details. */
const TYPES: Readonly<Partial<Record<Action, EventType>>> = {
  'factor.add': 'factor.added',
  'factor.remove': 'factor.removed',
  'factor.reset': 'factor.removed',
}

function eventOfAct(actor: Actor, { action, subject, details = {} }: NewEntry): NewEvent | undefined {
  const type = TYPES[action]
  if (!type) return undefined
  return { type, user_id: subject?.type === 'user' ? subject.id : actor.id, data: details }
}
