import { v7 as newId } from 'uuid'
import type { Client } from '../../http/client/client.ts'
import type { SignedInCall } from '../../http/route.ts'
import type { Platform } from '../../platform/platform.ts'
import * as store from './store.ts'

/** The user who acted, and the address; no id if nobody is signed in. */
export interface Actor {
  readonly id: string | null
  readonly address: string | null
}

/** What was done, to what. Details hold facts for people, never a secret. */
export interface Act {
  readonly action: string
  readonly subject?: { readonly type: string; readonly id: string }
  readonly details?: Readonly<Record<string, unknown>>
}

export function actorOf({ caller, client }: Pick<SignedInCall, 'caller' | 'client'>): Actor {
  return { id: caller.user.id, address: client.address }
}

export function anonymous({ address }: Client): Actor {
  return { id: null, address }
}

/** For the batch that does it. */
export function auditEntry(
  { meta, now }: Platform,
  actor: Actor,
  { action, subject, details = {} }: Act,
  id: string = newId(),
) {
  return store.insertEntry(meta, {
    id,
    created_at: now(),
    action,
    actor_id: actor.id,
    subject_type: subject?.type ?? null,
    subject_id: subject?.id ?? null,
    ip: actor.address,
    details: JSON.stringify(details),
  })
}

export async function recordAudit(platform: Platform, actor: Actor, act: Act): Promise<void> {
  await auditEntry(platform, actor, act).execute()
}
