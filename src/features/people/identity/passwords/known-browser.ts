import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ownCookie } from '../../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../../http/exchange.ts'
import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { DAY_SECONDS } from '../../../../rules/time.ts'

const LIFETIME_SECONDS = 400 * DAY_SECONDS
const MOST_USERS = 5
const PURPOSE = 'known browser'
const COOKIE = ownCookie('known_browser')

const Entry = z.object({ id: z.string(), user: z.string(), mark: z.string() })
type Entry = z.output<typeof Entry>

interface WithPassword {
  readonly id: string
  readonly password_hash: string | null
}

/** The id of this browser for this user, if it has signed in with the current password. */
export function knownBrowserOf({ platform, exchange }: Call, user: WithPassword): string | undefined {
  const mark = passwordMark(user.password_hash)
  return entriesOf(platform, exchange).find((entry) => entry.user === user.id && entry.mark === mark)?.id
}

/** Sealed, so that it cannot be forged. A new password makes it useless. */
export function rememberBrowser(
  { platform, exchange }: Pick<Call, 'platform' | 'exchange'>,
  user: WithPassword,
): void {
  const entries = entriesOf(platform, exchange)
  const id = entries.find((entry) => entry.user === user.id)?.id ?? randomBytes(16).toString('base64url')
  const others = entries.filter((entry) => entry.user !== user.id).slice(0, MOST_USERS - 1)
  const kept: readonly Entry[] = [{ id, user: user.id, mark: passwordMark(user.password_hash) }, ...others]
  const sealed = platform.secretBox.seal(PURPOSE, JSON.stringify(kept))
  COOKIE.set(exchange, platform.config, sealed, LIFETIME_SECONDS)
}

/** Differs for each password that is set, and reveals nothing about it. */
export function passwordMark(hash: string | null): string {
  if (hash === null) return 'none'
  return createHash('sha256').update(`${PURPOSE} ${hash}`).digest('base64url').slice(0, 16)
}

function entriesOf({ config, secretBox }: Platform, exchange: Exchange): readonly Entry[] {
  const sealed = COOKIE.of(exchange, config)
  if (sealed === undefined) return []
  try {
    return z.array(Entry).parse(JSON.parse(secretBox.open(PURPOSE, sealed)))
  } catch {
    // Forged, or sealed under another key: treated as absent.
    return []
  }
}
