import { z } from 'zod'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { Id } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { findCaller, findCallerById, findWhoActs } from '../callers/find-caller.ts'
import { endBeside, heldBeside, keepActive, leaveActive, switchTo } from '../sessions/accounts.ts'
import { bearerTokenOf } from '../sessions/cookie.ts'
import { endSession } from '../sessions/ending.ts'
import type { Held } from '../sessions/sessions.ts'
import { wireKnownUser, wireSession } from './wire.ts'

export const HeldSession = z.object({
  /** The session as listed, never its secret. */
  sessionToken: Id,
})
type HeldSession = z.output<typeof HeldSession>

/** The accounts that are signed in in this browser, the active one first. */
export async function listDeviceSessions(call: Call) {
  const { platform } = call
  const active = await findActive(call)
  const { held } = await heldBeside(call)
  const others = await Promise.all(held.map(({ id }) => findCallerById(platform, 'session', id)))
  return Promise.all([active, ...others].flatMap((caller) => (caller ? [wireAccount(platform, caller)] : [])))
}

/** The account that this browser holds and that the user chooses becomes the one of every page in it. */
export async function setActiveSession(call: Call, { sessionToken }: HeldSession) {
  const { platform } = call
  const active = await findActive(call)
  if (active?.credential.id === sessionToken) {
    keepActive(call)
    return wireAccount(platform, active)
  }
  const beside = await heldBeside(call)
  const chosen = heldWith(beside.held, sessionToken)
  const caller = await findCallerById(platform, 'session', chosen.id)
  if (!caller) throw unknownSession()
  await switchTo(call, chosen, beside, active !== undefined)
  return wireAccount(platform, caller)
}

/** Ends one of this browser's sessions. If it was the active one, the next becomes active. */
export async function revokeDeviceSession(call: Call, { sessionToken }: HeldSession) {
  const { platform, exchange } = call
  const active = await findActive(call)
  if (active?.credential.id === sessionToken) {
    await endSession(platform, exchange, active)
    await leaveActive(call)
  } else {
    const beside = await heldBeside(call)
    await endBeside(call, heldWith(beside.held, sessionToken), beside)
  }
  return { status: true as const }
}

/** Once acting as a user has ended by itself, it is the administrator's own session. */
async function findActive({ platform, exchange }: Call): Promise<Caller | undefined> {
  const found = await findCaller(platform, exchange)
  const caller = found ?? (bearerTokenOf(exchange) === undefined ? await findWhoActs(platform, exchange) : undefined)
  return caller?.credential.kind === 'session' ? caller : undefined
}

/** A session of another browser is refused exactly like one that does not exist. */
function heldWith(held: readonly Held[], id: string): Held {
  const found = held.find((each) => each.id === id)
  if (!found) throw unknownSession()
  return found
}

function unknownSession(): Refusal {
  return new Refusal('INVALID_SESSION_TOKEN', 'This browser has no such session. Sign in again.')
}

async function wireAccount(platform: Platform, caller: Caller) {
  return { session: wireSession(caller), user: await wireKnownUser(platform, caller.user) }
}
