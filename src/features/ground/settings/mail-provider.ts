import type { Mail, MailRoute } from '../../../platform/mail/mail.ts'
import type { Settings } from './model.ts'

type Offered = Pick<Mail, 'providers' | 'smtpUrl'>

/** The provider that sends mail. Undefined if none is chosen, or if this deployment cannot use the chosen one. */
export function usableProvider(mail: Offered, email: Settings['email']): MailRoute['provider'] | undefined {
  if (email.provider === 'smtp' && !hasServer(mail, email)) return undefined
  return mail.providers.find((offered) => offered === email.provider)
}

/** True if SMTP has a server at deployment or in the settings. */
export function hasServer({ smtpUrl }: Pick<Mail, 'smtpUrl'>, { smtp_host }: Settings['email']): boolean {
  return smtpUrl !== undefined || smtp_host !== ''
}
