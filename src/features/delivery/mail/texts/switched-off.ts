import { type Letter, type LetterHead, writeLetter } from './layout.ts'

const WORDS = {
  en: {
    subject: (appName: string) => `A webhook of ${appName} was switched off`,
    what: (host: string) =>
      `The endpoint at ${host} has not accepted anything for three days, so events are no longer sent to it.`,
    next: 'Once it works again, switch it on in the console; it continues where it stopped. Failed deliveries can be sent again there.',
    label: 'Open webhooks',
    closing: 'You are receiving this email because you are the administrator.',
  },
  zh: {
    subject: (appName: string) => `${appName} 的一个 Webhook 已停用`,
    what: (host: string) => `位于 ${host} 的端点三天来没有接收任何事件，因此不再向其发送事件。`,
    next: '恢复正常后，请在控制台重新启用，发送会从中断处继续。发送失败的事件也可以在那里重新发送。',
    label: '打开 Webhook',
    closing: '您是管理员，因此收到此邮件。',
  },
} as const

interface Endpoint {
  readonly host: string
  readonly consoleUrl: string
}

/** Says that an endpoint was switched off because it had accepted nothing for three days. */
export function switchedOffLetter(head: LetterHead, { host, consoleUrl }: Endpoint): Letter {
  const { subject, what, next, label, closing } = WORDS[head.language]
  return writeLetter({
    ...head,
    subject: subject(head.appName),
    paragraphs: [what(host), next],
    link: { address: consoleUrl, label },
    closing,
  })
}
