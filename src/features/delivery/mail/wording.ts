import type { CodePurpose } from '../../../database/schema/people/account.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { CodeLetter, Notice, QueuedLetter } from '../../ground/letters/letters.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { continentName } from './circumstances/continent.ts'
import { deviceInWords } from './circumstances/device.ts'
import { offeredLanguage } from './reader-language.ts'
import { letterHead } from './sender.ts'
import { codeLetter } from './texts/codes.ts'
import type { Letter, LetterHead } from './texts/layout.ts'
import { noticeLetter } from './texts/notices.ts'
import { organizationInvitationLetter } from './texts/organization-invitation.ts'
import { switchedOffLetter } from './texts/switched-off.ts'

/** Uses the operator's current name, look and languages. */
export async function worded(platform: Platform, settings: Settings, waiting: QueuedLetter): Promise<Letter> {
  const { to, content, languages, look } = waiting
  const head = await letterHead(platform, settings, languages && offeredLanguage(languages, settings), look)
  switch (content.about) {
    case 'change':
      return noticeOf(platform, head, content)
    case 'code':
      return codeOf(platform, head, to, content)
    case 'organization invitation':
      return organizationInvitationLetter(head, { ...content, link: linkTo(platform, '/invitation', to, content.link) })
    case 'webhook switched off': {
      const consoleUrl = `${platform.config.baseUrl}/console/webhooks`
      return switchedOffLetter(head, { host: content.host, consoleUrl })
    }
  }
}

function noticeOf({ config }: Platform, head: LetterHead, notice: Notice): Letter {
  const { change, at, name, by, userAgent = null, address = null, continent, token } = notice
  const device = deviceInWords(userAgent, head.language)
  const place = continentName(continent, head.language) ?? null
  // The fragment is never sent to a server or written to a log.
  const secure = token === undefined ? undefined : `${config.baseUrl}/secure#${token}`
  return noticeLetter(head, change, { at, name, by, device, address, place, secure })
}

const PAGE = {
  'email-verification': '/verify',
  'password-reset': '/reset',
  'email-change': '/verify',
  invitation: '/invitation',
} as const satisfies Record<CodePurpose, string>

function codeOf(platform: Platform, head: LetterHead, email: string, content: CodeLetter): Letter {
  const { purpose, code, link, isLast } = content
  return codeLetter(purpose, head, { code, link: linkTo(platform, PAGE[purpose], email, link), isLast })
}

/** Carried in the fragment, which is never sent to a server or written to a log. */
function linkTo({ config }: Platform, page: string, email: string, link: string): string {
  return `${config.baseUrl}${page}#${new URLSearchParams({ email, link })}`
}
