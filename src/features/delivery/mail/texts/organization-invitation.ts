import { onOneLine } from '../../../../rules/one-line.ts'
import { unlinked } from '../../../../rules/unlinked.ts'
import { type Letter, type LetterHead, writeLetter } from './layout.ts'

interface Invited {
  readonly organization: string
  readonly inviter: { readonly name: string; readonly address: string }
  readonly link: string
}

const WORDS = {
  en: {
    subject: (organization: string, appName: string) => `Invitation to ${organization} – ${appName}`,
    what: (inviter: string, organization: string) => `${inviter} invites you to become a member of ${organization}.`,
    care: (appName: string) =>
      `The link is valid for 7 days, and only for this address. Nobody from ${appName} will ever ask you for it.`,
    label: 'See the invitation',
    closing: 'If you do not know who this is, you can ignore this email; nothing happens until the link is used.',
  },
  zh: {
    subject: (organization: string, appName: string) => `${organization} 的邀请 – ${appName}`,
    what: (inviter: string, organization: string) => `${inviter} 邀请您加入 ${organization}。`,
    care: (appName: string) => `链接在 7 天内有效，且仅限此邮箱使用。${appName} 的工作人员绝不会向您索要。`,
    label: '查看邀请',
    closing: '如果您不认识此人，请忽略此邮件；链接被使用之前不会发生任何事。',
  },
} as const

/** A user's name can be as long as an address. */
const LONGEST_NAME = 64

export function organizationInvitationLetter(head: LetterHead, { organization, inviter, link }: Invited): Letter {
  const { subject, what, care, label, closing } = WORDS[head.language]
  const name = onOneLine(inviter.name)
  const shown = name.length > LONGEST_NAME ? `${[...name].slice(0, LONGEST_NAME).join('')}…` : name
  const who = name === '' || name === inviter.address ? inviter.address : `${unlinked(shown)} (${inviter.address})`
  return writeLetter({
    ...head,
    subject: subject(unlinked(organization), head.appName),
    paragraphs: [what(who, unlinked(organization)), care(head.appName)],
    link: { address: link, label },
    closing,
  })
}
