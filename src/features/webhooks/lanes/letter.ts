import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { writeLetter } from '../../mail/letter.ts'
import { mailStatement } from '../../mail/queue.ts'
import { letterHead } from '../../mail/sending.ts'
import { currentSettings } from '../../settings/settings.ts'

const WORDS = {
  en: {
    subject: (appName: string) => `A webhook of ${appName} was switched off`,
    what: (host: string) =>
      `The endpoint at ${host} has taken nothing for three days, so events are no longer sent to it.`,
    next: 'Once it works again, switch it on in the console: it goes on where it stopped. What has failed for good can be sent again there.',
    label: 'Open webhooks',
    closing: 'You get this letter because you are the administrator.',
  },
  zh: {
    subject: (appName: string) => `${appName} 的一个 Webhook 已停用`,
    what: (host: string) => `位于 ${host} 的端点三天来没有接收任何内容，因此不再向其发送事件。`,
    next: '恢复正常后，请在控制台重新启用：它会从中断处继续。最终失败的内容可以在那里重新发送。',
    label: '打开 Webhook',
    closing: '您是管理员，因此收到此邮件。',
  },
} as const

/** For the administrator. The path of an endpoint may contain a secret, so the letter names only its host. */
export async function switchOffLetter(platform: Platform, url: string) {
  const head = await letterHead(platform, await currentSettings(platform))
  const words = WORDS[head.language]
  const { host } = new URL(url)
  return mailStatement(platform, {
    kind: 'notice',
    to: head.supportEmail,
    expiresAt: platform.now() + DAY_MILLISECONDS,
    ...writeLetter({
      ...head,
      subject: words.subject(head.appName),
      paragraphs: [words.what(host), words.next],
      link: { address: `${platform.config.baseUrl}/console/webhooks`, label: words.label },
      closing: words.closing,
    }),
  })
}
