import type { CodePurpose } from '../../../../database/schema/people/account.ts'
import type { Language } from '../../../ground/settings/brand/input.ts'
import { type Letter, type LetterHead, writeLetter } from './layout.ts'

interface Words {
  subject(appName: string): string
  readonly reason: string
  readonly label: string
  readonly closing: string
}

const WORDS = {
  en: {
    invitation: {
      subject: (appName) => `Your invitation to ${appName}`,
      reason: 'An account has been created for you. Use the link to choose how you sign in.',
      label: 'Accept the invitation',
      closing: 'If you did not expect this, ignore this email: nobody can sign in until the link is used.',
    },
    'email-verification': {
      subject: (appName) => `Verification code for ${appName}`,
      reason: 'To verify your email address, enter this code where you signed up, or use the link.',
      label: 'Verify email address',
      closing: 'If you did not sign up, you can ignore this email; nothing more will happen.',
    },
    'email-change': {
      subject: (appName) => `Your new address at ${appName}`,
      reason: 'To use this address for your account, enter this code where you asked for it, or open the link there.',
      label: 'Use this address',
      closing: 'If you did not ask for this, you can ignore this email; nothing more will happen.',
    },
    'password-reset': {
      subject: (appName) => `Password reset code for ${appName}`,
      reason: 'To choose a new password, enter this code or use the link.',
      label: 'Choose a new password',
      closing: 'If you did not ask for a new password, you can ignore this email; your password stays as it is.',
    },
  },
  zh: {
    invitation: {
      subject: (appName) => `${appName} 邀请您加入`,
      reason: '我们已为您创建账号。请点击链接，选择登录方式。',
      label: '接受邀请',
      closing: '如果您不清楚为何收到此邮件，请忽略：链接被使用之前，任何人都无法登录此账号。',
    },
    'email-verification': {
      subject: (appName) => `${appName} 验证码`,
      reason: '要确认您的邮箱地址，请在注册页面输入此验证码，或点击链接。',
      label: '确认邮箱地址',
      closing: '如果您没有注册，请忽略此邮件，不会有任何后续操作。',
    },
    'email-change': {
      subject: (appName) => `${appName} 新邮箱地址`,
      reason: '要将此邮箱用于您的账号，请在申请更改的页面输入此验证码，或在同一浏览器中打开链接。',
      label: '使用此邮箱',
      closing: '如果您没有申请更改，请忽略此邮件，不会有任何后续操作。',
    },
    'password-reset': {
      subject: (appName) => `${appName} 密码重置验证码`,
      reason: '要设置新密码，请输入此验证码，或点击链接。',
      label: '设置新密码',
      closing: '如果您没有申请重置密码，请忽略此邮件，您的密码不会改变。',
    },
  },
} as const satisfies Record<Language, Record<CodePurpose, Words>>

/** An invitation has only a link. */
const CARE = {
  en: {
    code: (appName: string) => `Both are valid for 5 minutes. Nobody from ${appName} will ever ask you for them.`,
    'last code': (appName: string) =>
      `The code is valid for 5 minutes, the link until midnight UTC. Nobody from ${appName} will ever ask you for them.`,
    link: (appName: string) => `It is valid for 7 days. Nobody from ${appName} will ever ask you for it.`,
  },
  zh: {
    code: (appName: string) => `两者均在 5 分钟内有效。${appName} 的工作人员绝不会向您索要。`,
    'last code': (appName: string) =>
      `验证码在 5 分钟内有效，链接在 UTC 午夜前有效。${appName} 的工作人员绝不会向您索要。`,
    link: (appName: string) => `链接在 7 天内有效。${appName} 的工作人员绝不会向您索要。`,
  },
} as const

const LAST = {
  en: 'This is the last email of this kind that this address gets today. More can be sent after midnight UTC.',
  zh: '这是该邮箱今天收到的最后一封此类邮件，UTC 午夜之后才能再次发送。',
} as const

interface Content {
  /** Absent in an invitation. */
  readonly code: string | undefined
  readonly link: string
  /** The last one today. */
  readonly isLast: boolean
}

export function codeLetter(purpose: CodePurpose, head: LetterHead, { code, link, isLast }: Content): Letter {
  const { language } = head
  const { subject, reason, label, closing } = WORDS[language][purpose]
  const care = code === undefined ? 'link' : isLast ? 'last code' : 'code'
  return writeLetter({
    ...head,
    subject: subject(head.appName),
    paragraphs: [reason, CARE[language][care](head.appName), ...(isLast ? [LAST[language]] : [])],
    ...(code !== undefined && { code }),
    link: { address: link, label },
    closing,
  })
}
