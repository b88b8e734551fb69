import { MailNotSent } from '../../../platform/mail/mail.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { findMailRoute, getSender, letterHead } from './sender.ts'
import { testLetter } from './texts/test-email.ts'
import { endMailTrouble } from './trouble.ts'

interface Recipient {
  readonly to: string
  readonly language: Language
}

/** Sends at once rather than through the queue, so that the caller gets the provider's response. */
export async function sendTestEmail(
  platform: Platform,
  settings: Settings,
  { to, language }: Recipient,
): Promise<void> {
  const route = findMailRoute(platform, settings)
  if (!route) throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'No email provider is chosen.')
  const letter = testLetter(await letterHead(platform, settings, language))
  try {
    await platform.mail.send(route, { from: await getSender(platform, settings), to, ...letter })
  } catch (error) {
    if (error instanceof MailNotSent) throw new Refusal('MAIL_NOT_SENT', error.message, { cause: error })
    throw error
  }
  await endMailTrouble(platform)
}
