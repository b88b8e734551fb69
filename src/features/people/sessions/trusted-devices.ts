import type { Config } from '../../../config/config.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import { ownCookie } from '../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Call, SignedInCall } from '../../../http/route.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_SECONDS, iso } from '../../../rules/time.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { deviceInWords } from '../../delivery/mail/circumstances/device.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { decideSignedIn, whereabouts } from './sessions.ts'
import * as store from './store.ts'

const LIFETIME_SECONDS = 30 * DAY_SECONDS
const MOST_TOKENS = 5
const COOKIE = ownCookie('trusted_device')
const TOKEN = /^ght_[\w-]{43}$/

/** One browser can be trusted by several users, each with a token of their own. */
export function trustHashes({ platform, exchange }: Pick<Call, 'platform' | 'exchange'>): readonly string[] {
  return tokensOf(exchange, platform.config).map(tokenHash)
}

/** Returns the token for the browser to keep. The user must be locked. */
export function trustThisDevice(act: Act, { platform, exchange }: Call, user: UserTable): string {
  const token = newToken('trusted device')
  const now = platform.now()
  act.write(
    ...store.insertTrustedDevice(platform.meta, {
      id: newId(),
      user_id: user.id,
      token_hash: tokenHash(token),
      created_at: now,
      expires_at: now + LIFETIME_SECONDS * 1000,
      last_used_at: now,
      ...whereabouts(exchange),
    }),
  )
  act.record('device.trusted', { user })
  return token
}

export function keepTrust({ platform: { config }, exchange }: Call, token: string): void {
  const tokens = [token, ...tokensOf(exchange, config)].slice(0, MOST_TOKENS)
  COOKIE.set(exchange, config, tokens.join('.'), LIFETIME_SECONDS)
}

function tokensOf(exchange: Exchange, config: Config): readonly string[] {
  const tokens = COOKIE.of(exchange, config)?.split('.') ?? []
  return tokens.slice(0, MOST_TOKENS).filter((token) => TOKEN.test(token))
}

export async function listTrustedDevices(call: SignedInCall) {
  const { platform, caller } = call
  const here = trustHashes(call)
  const rows = await store.trustedDevices(platform.meta, caller.user.id, platform.now())
  return rows.map((row) => ({
    id: row.id,
    createdAt: iso(row.created_at),
    lastUsedAt: iso(row.last_used_at),
    expiresAt: iso(row.expires_at),
    ipAddress: row.ip,
    userAgent: row.user_agent,
    device: deviceInWords(row.user_agent),
    place: row.place,
    isCurrent: here.includes(row.token_hash),
  }))
}

/** The next sign-in there needs the second step again. */
export async function revokeTrustedDevice(call: SignedInCall, id: string) {
  const { meta } = call.platform
  const trusted = store.trustedDeviceOf(meta, call.caller.user.id, id)
  await decideSignedIn(call, [trusted], async (act, user, [device]) => {
    if (!device) throw new Refusal('NOT_FOUND', 'You have no such trusted device.')
    act.write(store.deleteTrustedDevice(meta, id))
    act.record('factor.revoke_trust', { user })
  })
  return { status: true as const }
}
