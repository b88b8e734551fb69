import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { sendThroughApi } from './api.ts'
import { type Mail, MailNotSent, type MailRoute } from './mail.ts'

type Deployment = Pick<Config, 'smtpUrl' | 'emailApiUrl' | 'isLocal' | 'dataDir' | 'webhookNetworks'>

/** The providers that this deployment can offer; the email settings choose among them. */
export function openMail(config: Deployment, now: () => number): Mail {
  const providers = providersOf(config)

  return {
    providers,
    smtpUrl: config.smtpUrl,
    async send(route, message) {
      if (!providers.includes(route.provider)) throw new MailNotSent(`${route.provider} is not set up here`)
      if (route.provider === 'api') return sendThroughApi(config.emailApiUrl, route.apiKey, message)
      // The mail library is loaded with the first message.
      if (route.provider === 'outbox') {
        const { writeToOutbox } = await import('./outbox.ts')
        return writeToOutbox(join(config.dataDir, 'outbox'), message, now())
      }
      const { sendThroughSmtp, sendThroughServer } = await import('./smtp.ts')
      if (config.smtpUrl !== undefined) return sendThroughSmtp({ url: config.smtpUrl }, message)
      await sendThroughServer(config, route.server(), message)
    },
  }
}

function providersOf(config: Deployment): readonly MailRoute['provider'][] {
  return ['smtp', 'api', ...(config.isLocal ? (['outbox'] as const) : [])]
}
