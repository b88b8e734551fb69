import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { endpointLetter } from '../../mail/endpoint-letter.ts'
import { mailStatement } from '../../mail/queue.ts'
import { letterHead } from '../../mail/sending.ts'
import { currentSettings } from '../../settings/settings.ts'

/** For the administrator. The path of an endpoint may contain a secret, so the letter names only its host. */
export async function switchOffLetter(platform: Platform, url: string) {
  const head = await letterHead(platform, await currentSettings(platform))
  const { host } = new URL(url)
  return mailStatement(platform, {
    kind: 'notice',
    to: head.supportEmail,
    expiresAt: platform.now() + DAY_MILLISECONDS,
    ...endpointLetter(head, { host, consoleUrl: `${platform.config.baseUrl}/console/webhooks` }),
  })
}
