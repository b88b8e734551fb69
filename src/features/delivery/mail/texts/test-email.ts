import { type Letter, type LetterHead, writeLetter } from './layout.ts'

const WORDS = {
  en: {
    subject: (appName: string) => `Test email from ${appName}`,
    paragraph: (appName: string) => `This is a test email from ${appName}.`,
    closing: 'If you can read it, sending works.',
  },
  zh: {
    subject: (appName: string) => `${appName} 测试邮件`,
    paragraph: (appName: string) => `这是来自 ${appName} 的测试邮件。`,
    closing: '如果您能看到这封邮件，说明发送功能正常。',
  },
} as const

export function testLetter(head: LetterHead): Letter {
  const { subject, paragraph, closing } = WORDS[head.language]
  return writeLetter({
    ...head,
    subject: subject(head.appName),
    paragraphs: [paragraph(head.appName)],
    closing,
  })
}
