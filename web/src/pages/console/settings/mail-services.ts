/** Services that operators know by name; all but two of them are SMTP servers. */
export type MailService = 'none' | 'api' | 'postmark' | 'ses' | 'smtp' | 'outbox'

interface Values {
  readonly provider: 'smtp' | 'api' | 'outbox' | null
  readonly smtp_host: string
}

const POSTMARK = 'smtp.postmarkapp.com'
const SES = /^email-smtp\.[a-z0-9-]+\.amazonaws\.com$/
const SES_EXAMPLE = 'email-smtp.us-east-1.amazonaws.com'

export function serviceOf({ provider, smtp_host }: Values): MailService {
  if (provider === null) return 'none'
  if (provider !== 'smtp') return provider
  if (smtp_host === POSTMARK) return 'postmark'
  return SES.test(smtp_host) ? 'ses' : 'smtp'
}

/** The fields that a change of the service sets; a server of one's own stays as it was typed. */
export function valuesOf(service: MailService, host: string): Partial<Values> {
  switch (service) {
    case 'none':
      return { provider: null }
    case 'api':
    case 'outbox':
      return { provider: service }
    case 'postmark':
      return { provider: 'smtp', smtp_host: POSTMARK }
    case 'ses':
      return { provider: 'smtp', smtp_host: SES_EXAMPLE }
    case 'smtp':
      return { provider: 'smtp', smtp_host: host === POSTMARK || SES.test(host) ? '' : host }
  }
}
