import { preferredLanguages } from '../../../http/requests/languages.ts'
import type { Call, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Change } from '../../../rules/changes.ts'
import { isSynthetic } from '../../../rules/email.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { letter, type Notice } from '../../ground/letters/letters.ts'

const LIFETIME_MILLISECONDS = DAY_MILLISECONDS

interface Owner {
  readonly email: string
}

/**
 * Goes into the commit of a change that the account's owner should hear about. The name is the tool's, application's,
 * token's or passkey's.
 */
export function noticeToOwner(
  call: Call | SignedInCall,
  owner: Owner,
  change: Change,
  name?: Notice['name'],
) {
  const { platform, sender, exchange } = call
  // If the administrator acts, the request does not show the owner's language or location.
  if ('caller' in call && call.caller.user.email !== owner.email)
    return notice(platform, owner, { change, name })
  const { userAgent, address, continent } = sender
  return notice(
    platform,
    owner,
    { change, name, userAgent, address, continent },
    preferredLanguages(exchange),
  )
}

/** A synthetic address has no mailbox. */
function notice(
  platform: Platform,
  { email }: Owner,
  what: Omit<Notice, 'about' | 'at'>,
  languages?: string[],
) {
  if (isSynthetic(email)) return []
  const at = platform.now()
  const content = { about: 'change', at, ...what } as const
  return [
    letter(platform, {
      kind: 'notice',
      to: email,
      expiresAt: at + LIFETIME_MILLISECONDS,
      languages,
      content,
    }),
  ]
}
