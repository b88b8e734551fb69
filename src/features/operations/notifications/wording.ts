import type { NotificationKind, NotificationsTable } from '../../../database/schema/operations.ts'
import { preferredLanguages } from '../../../http/requests/languages.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { type ApprovalFacts, approvalWords, type Words } from '../../../rules/words/approvals.ts'
import { offeredLanguage } from '../../delivery/mail/reader-language.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'

export const REPLY_TITLES: Readonly<Record<Language, string>> = {
  en: 'An answer to your feedback',
  zh: '您的反馈已有回复',
}

interface Stored extends Words, Pick<NotificationsTable, 'kind' | 'data'> {}

/** What the service itself tells is put into the reader's language. */
export function worded<Item extends Stored>(language: Language, item: Item) {
  const data = item.data === null ? {} : JSON.parse(item.data)
  return { ...item, ...wordsOf(language, item.kind, item, data), kind: item.kind ?? ('message' as const), data }
}

function wordsOf(language: Language, kind: NotificationKind | null, { content }: Words, data: ApprovalFacts) {
  if (kind === 'approval') return approvalWords(language, data)
  return kind === 'reply' ? { title: REPLY_TITLES[language], content } : {}
}

/** The request's language, or else the one that the user used last. */
export async function languageOfReader({ platform, caller, exchange }: SignedInCall): Promise<Language> {
  const settings = await currentSettings(platform, caller.settingsRevision)
  const { language } = caller.user
  return offeredLanguage([...preferredLanguages(exchange), ...(language === null ? [] : [language])], settings)
}
