import type { Platform } from '../../../platform/platform.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import {
  activeHere,
  type Beside,
  besideOf,
  clearBeside,
  clearSessionCookie,
  type Here,
  lifeOf,
  putBeside,
  putSessionCookie,
  sessionCookieOf,
} from './cookie.ts'
import { endSessions, type Held, heldOf, sessionsWith } from './sessions.ts'

interface HeldBeside {
  readonly held: readonly Held[]
  /** Too many since the settings were changed. They end with the next change of the cookie. */
  readonly surplus: readonly Held[]
}

/** The sessions of this browser beside the active one, which have not ended. */
export async function heldBeside(call: Here): Promise<HeldBeside> {
  const beside = besideOf(call)
  if (beside.length === 0) return { held: [], surplus: [] }
  const { meta } = call.platform
  const [{ authentication }, rows] = await Promise.all([
    settingsOf(call),
    meta.primary.run(sessionsWith(call.platform, beside)),
  ])
  const all = heldOf(beside, rows)
  const most = authentication.accounts_per_browser - 1
  return { held: all.slice(0, most), surplus: all.slice(most) }
}

/** Switches to one of the held sessions. The active one stays beside it, unless it has ended. */
export function switchTo(call: Here, chosen: Held, { held, surplus }: HeldBeside, isActiveAlive: boolean) {
  const former = isActiveAlive ? activeHere(call) : undefined
  const others = held.filter(({ id }) => id !== chosen.id)
  return activate(call, chosen, former ? [former, ...others] : others, surplus)
}

/** The session that acting as a user, which is over, had covered is that of the browser again. */
export function keepActive(call: Here): void {
  const { platform, exchange } = call
  const own = activeHere(call)
  if (own && own.token !== sessionCookieOf(exchange, platform.config))
    putSessionCookie(exchange, platform.config, own.token, lifeOf(own))
}

async function activate(call: Here, chosen: Held, beside: readonly Beside[], surplus: HeldBeside['surplus']) {
  const { platform, exchange } = call
  await endAll(platform, surplus)
  exchange.hasCaller = true
  putSessionCookie(exchange, platform.config, chosen.token, lifeOf(chosen))
  putBeside(call, chosen.token, lifeOf(chosen), beside)
}

/** Ends one of the sessions beside the active one. */
export async function endBeside(call: Here, ended: Held, { held, surplus }: HeldBeside): Promise<void> {
  await endAll(call.platform, [ended, ...surplus])
  const active = activeHere(call)
  const stay = held.filter(({ id }) => id !== ended.id)
  if (active) putBeside(call, active.token, lifeOf(active), stay)
}

/** The active session has ended, so the one that was active before it is active again. */
export async function leaveActive(call: Here): Promise<void> {
  const { held, surplus } = await heldBeside(call)
  const [next, ...rest] = held
  if (next) return activate(call, next, rest, surplus)
  await endAll(call.platform, surplus)
  clearCookies(call)
}

/** Ends the sessions beside the active one, which has ended. */
export async function leaveAll(call: Here): Promise<void> {
  const { held, surplus } = await heldBeside(call)
  await endAll(call.platform, [...held, ...surplus])
  clearCookies(call)
}

function clearCookies(call: Here): void {
  clearSessionCookie(call.exchange, call.platform.config)
  clearBeside(call)
}

/** Each in its own commit: one that locked the sessions of several users could deadlock with another. */
async function endAll(platform: Platform, sessions: readonly Held[]): Promise<void> {
  await Promise.all(sessions.map(({ id, userId }) => endSessions(platform, userId, [id])))
}
