import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Names } from '../names/names.ts'
import { sendThroughApi } from './api.ts'
import { type Mail, MailNotSent, type MailRoute } from './mail.ts'
import type { SmtpConnections } from './smtp.ts'

const API_MILLISECONDS = 10_000
/**
 * The limit of the whole exchange, because a server that keeps talking is never silent. Shorter than the claim on a
 * mail.
 */
const SMTP_MILLISECONDS = 45_000

type Deployment = Pick<Config, 'smtpUrl' | 'emailApiUrl' | 'isLocal' | 'dataDir' | 'webhookNetworks'>

/** A stopping process does not wait for a slow provider: the message may have arrived. */
const CUT_OFF_MILLISECONDS = 1_000

/** The providers that this deployment can offer; the email settings choose among them. */
export function openMail(config: Deployment, names: Names, now: () => number, ending?: AbortSignal): Mail {
  const providers = providersOf(config)
  const cutOff = new AbortController()
  const cutSoon = () => setTimeout(() => cutOff.abort(), CUT_OFF_MILLISECONDS).unref()
  ending?.addEventListener('abort', cutSoon, { once: true })
  let connections: SmtpConnections | undefined
  ending?.addEventListener('abort', () => connections?.close(), { once: true })
  const within = (milliseconds: number) => AbortSignal.any([cutOff.signal, AbortSignal.timeout(milliseconds)])

  return {
    providers,
    smtpUrl: config.smtpUrl,
    async send(route, message) {
      if (!providers.includes(route.provider)) throw new MailNotSent(`${route.provider} is not set up here`)
      if (route.provider === 'api')
        return sendThroughApi(config.emailApiUrl, route.apiKey, message, within(API_MILLISECONDS))
      // The mail library is loaded with the first message.
      if (route.provider === 'outbox') {
        const { writeToOutbox } = await import('./outbox.ts')
        return writeToOutbox(join(config.dataDir, 'outbox'), message, now())
      }
      const smtp = await import('./smtp.ts')
      connections ??= new smtp.SmtpConnections()
      const limit = within(SMTP_MILLISECONDS)
      if (config.smtpUrl === undefined)
        await smtp.sendThroughServer(connections, { ...config, names }, route.server(), message, limit)
      else await smtp.sendThroughSmtp(connections, { url: config.smtpUrl }, message, limit)
    },
  }
}

function providersOf(config: Deployment): readonly MailRoute['provider'][] {
  return ['smtp', 'api', ...(config.isLocal ? (['outbox'] as const) : [])]
}
