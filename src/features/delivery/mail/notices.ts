import type { Call, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isSynthetic } from '../../../rules/email.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/settings.ts'
import { continentName } from './circumstances/continent.ts'
import { deviceInWords } from './circumstances/device.ts'
import { mailStatement } from './queue.ts'
import { readerLanguage } from './reader-language.ts'
import { isMailAvailable, letterHead } from './sender.ts'
import type { Change } from './texts/changes.ts'
import { type Named, noticeLetter } from './texts/notices.ts'

const LIFETIME_MILLISECONDS = DAY_MILLISECONDS

interface Owner {
  readonly email: string
}

/**
 * Written with a change that the account's owner should be told about: a letter with the time, device and place. No
 * letter without mail, or to a synthetic address. The name is the tool's, application's, token's or passkey's.
 */
export async function noticeToOwner(call: Call, owner: Owner, change: Change, name?: Named) {
  const mail = await noticeTo(call, owner, change, name)
  return mail ? [mailStatement(call.platform, mail)] : []
}

/** For commands on the host, which have no browser to name in the letter. */
export async function noticeToOwnerFromHost(platform: Platform, owner: Owner, change: Change) {
  const mail = await notice(platform, owner, { change, language: undefined }, NOWHERE)
  return mail ? [mailStatement(platform, mail)] : []
}

const NOWHERE = { device: null, address: null, place: null } as const

async function noticeTo(call: Call | SignedInCall, owner: Owner, change: Change, name?: Named) {
  const { platform, sender, exchange } = call
  // If the administrator acts, the request does not show the owner's language or location.
  if ('caller' in call && call.caller.user.email !== owner.email) {
    return notice(platform, owner, { change, language: undefined, name }, NOWHERE)
  }
  const settings = await currentSettings(platform)
  const language = readerLanguage(exchange, settings)
  return notice(
    platform,
    owner,
    { change, language, name },
    {
      device: deviceInWords(sender.userAgent, language),
      address: sender.address,
      place: continentName(sender.continent, language) ?? null,
    },
  )
}

interface What {
  readonly change: Change
  readonly language: Language | undefined
  readonly name?: Named | undefined
}

async function notice(
  platform: Platform,
  { email }: Owner,
  { change, language, name }: What,
  where: { readonly device: string | null; readonly address: string | null; readonly place: string | null },
) {
  const settings = await currentSettings(platform)
  if (isSynthetic(email) || !isMailAvailable(platform, settings)) return undefined
  const head = await letterHead(platform, settings, language)
  return {
    kind: 'notice' as const,
    to: email,
    expiresAt: platform.now() + LIFETIME_MILLISECONDS,
    ...noticeLetter(head, change, { at: platform.now(), name, ...where }),
  }
}
