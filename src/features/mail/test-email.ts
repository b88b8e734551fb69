import { MailNotSent } from '../../platform/mail/mail.ts'
import type { Platform } from '../../platform/platform.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Settings } from '../settings/model.ts'
import { writeLetter } from './letter.ts'
import { findMailRoute, getSender, letterHead } from './sending.ts'

/** Not queued: the caller wants to hear what the provider says. */
export async function sendTestEmail(platform: Platform, settings: Settings, to: string): Promise<void> {
  const route = findMailRoute(platform, settings)
  if (!route) throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'No email provider is chosen.')
  const head = await letterHead(platform, settings)
  const letter = writeLetter({
    ...head,
    subject: `Test mail of ${head.appName}`,
    paragraphs: [`This is a test mail of ${head.appName}.`],
    closing: 'If you can read it, sending works.',
  })
  try {
    await platform.mail.send(route, { from: await getSender(platform, settings), to, ...letter })
  } catch (error) {
    if (error instanceof MailNotSent) throw new Refusal('MAIL_NOT_SENT', error.message, { cause: error })
    throw error
  }
}
