import { MailNotSent } from '../../platform/mail/mail.ts'
import type { Platform } from '../../platform/platform.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Settings } from '../settings/model.ts'
import { findMailRoute, getSender } from './sending.ts'

/** Not queued: whoever asks wants to hear what the provider says. */
export async function sendTestEmail(platform: Platform, settings: Settings, to: string): Promise<void> {
  const route = findMailRoute(platform, settings)
  if (!route) throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'No email provider is chosen.')
  const text = `This is a test mail of ${platform.config.appName}. If you can read it, sending works.`
  const message = {
    from: await getSender(platform),
    to,
    subject: `Test mail of ${platform.config.appName}`,
    text,
    html: `<p>${escaped(text)}</p>`,
  }
  try {
    await platform.mail.send(route, message)
  } catch (error) {
    if (error instanceof MailNotSent) throw new Refusal('MAIL_NOT_SENT', error.message, { cause: error })
    throw error
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
