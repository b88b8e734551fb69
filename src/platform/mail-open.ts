import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type Mail, MailNotSent, type MailRoute } from './mail.ts'
import { sendThroughApi } from './mail-api.ts'
import { writeToOutbox } from './mail-outbox.ts'
import { smtpMail } from './mail-smtp.ts'

type Deployment = Pick<Config, 'smtpUrl' | 'emailApiUrl' | 'isLocal' | 'dataDir'>

/** The providers that this deployment can offer; the email settings choose among them. */
export function openMail(config: Deployment, now: () => number): Mail {
  const providers = providersOf(config)
  const smtp = config.smtpUrl === undefined ? undefined : smtpMail(config.smtpUrl)

  return {
    providers,
    async send(route, message) {
      if (!providers.includes(route.provider)) throw new MailNotSent(`${route.provider} is not set up here`)
      if (route.provider === 'api') return sendThroughApi(config.emailApiUrl, route.apiKey, message)
      if (route.provider === 'outbox') return writeToOutbox(join(config.dataDir, 'outbox'), message, now())
      await smtp?.(message)
    },
  }
}

function providersOf(config: Deployment): readonly MailRoute['provider'][] {
  return [
    ...(config.smtpUrl === undefined ? [] : (['smtp'] as const)),
    'api',
    ...(config.isLocal ? (['outbox'] as const) : []),
  ]
}
