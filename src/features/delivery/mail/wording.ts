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
import { switchedOffLetter } from './texts/switched-off.ts'

/** Uses the operator's current name, colours and languages. */
export async function worded(platform: Platform, settings: Settings, waiting: QueuedLetter): Promise<Letter> {
  const { to, content, languages } = waiting
  const head = await letterHead(platform, settings, languages && offeredLanguage(languages, settings))
  switch (content.about) {
    case 'change':
      return noticeOf(head, content)
    case 'code':
      return codeOf(platform, head, to, content)
    case 'webhook switched off': {
      const consoleUrl = `${platform.config.baseUrl}/console/webhooks`
      return switchedOffLetter(head, { host: content.host, consoleUrl })
    }
  }
}

function noticeOf(head: LetterHead, notice: Notice): Letter {
  const { change, at, name, userAgent = null, address = null, continent } = notice
  const device = deviceInWords(userAgent, head.language)
  const place = continentName(continent, head.language) ?? null
  return noticeLetter(head, change, { at, name, device, address, place })
}

const PAGE = {
  'email-verification': '/verify',
  'password-reset': '/reset',
  invitation: '/invitation',
} as const satisfies Record<CodePurpose, string>

function codeOf({ config }: Platform, head: LetterHead, email: string, content: CodeLetter): Letter {
  const { purpose, code, link, isLast } = content
  // Carried in the fragment, which is never sent to a server or written to a log.
  const address = `${config.baseUrl}${PAGE[purpose]}#${new URLSearchParams({ email, link })}`
  return codeLetter(purpose, head, { code, link: address, isLast })
}
