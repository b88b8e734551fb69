import type { Call, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isSynthetic } from '../../../rules/email.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { continentName } from './circumstances/continent.ts'
import { deviceInWords } from './circumstances/device.ts'
import { mailStatement } from './queue.ts'
import { readerLanguage } from './reader-language.ts'
import { isMailAvailable, letterHead } from './sender.ts'
import type { Change } from './texts/changes.ts'
import { type Circumstances, type Named, noticeLetter } from './texts/notices.ts'

const LIFETIME_MILLISECONDS = DAY_MILLISECONDS

interface Owner {
  readonly email: string
}

/**
 * Written with a change that the account's owner should be told about: a letter with the time, device and place. No
 * letter without mail, or to a synthetic address. The name is the tool's, application's, token's or passkey's.
 */
export async function noticeToOwner(call: Call | SignedInCall, owner: Owner, change: Change, name?: Named) {
  const { platform, sender, exchange } = call
  const settings = await currentSettings(
    platform,
    'caller' in call ? call.caller.settingsRevision : undefined,
  )
  // If the administrator acts, the request does not show the owner's language or location.
  if ('caller' in call && call.caller.user.email !== owner.email)
    return notice(platform, settings, owner, change, { ...NOWHERE, name })
  const language = readerLanguage(exchange, settings)
  const where = {
    device: deviceInWords(sender.userAgent, language),
    address: sender.address,
    place: continentName(sender.continent, language) ?? null,
  }
  return notice(platform, settings, owner, change, { ...where, name }, language)
}

/** For commands on the host, which have no browser to name in the letter. */
export async function noticeToOwnerFromHost(platform: Platform, owner: Owner, change: Change) {
  return notice(platform, await currentSettings(platform), owner, change, NOWHERE)
}

const NOWHERE = { device: null, address: null, place: null } as const

async function notice(
  platform: Platform,
  settings: Settings,
  { email }: Owner,
  change: Change,
  circumstances: Omit<Circumstances, 'at'>,
  language?: Language,
) {
  if (isSynthetic(email) || !isMailAvailable(platform, settings)) return []
  const head = await letterHead(platform, settings, language)
  const at = platform.now()
  const letter = noticeLetter(head, change, { ...circumstances, at })
  const expiresAt = at + LIFETIME_MILLISECONDS
  return [mailStatement(platform, { kind: 'notice', to: email, expiresAt, ...letter })]
}
