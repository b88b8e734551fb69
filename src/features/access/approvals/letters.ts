import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isSynthetic } from '../../../rules/email.ts'
import { type ApprovalFacts, approvalWords, fieldWords } from '../../../rules/words/approvals.ts'
import { announcementStatement } from '../../delivery/mail/queue.ts'
import { offeredLanguage } from '../../delivery/mail/reader-language.ts'
import { isMailAvailable, letterHead } from '../../delivery/mail/sender.ts'
import { addressesOf, announcementLetter } from '../../delivery/mail/texts/announcements.ts'
import type { LetterHead } from '../../delivery/mail/texts/layout.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { aboutOf } from '../../operations/notifications/announcements/preferences.ts'
import { unsubscribeToken } from '../../operations/notifications/announcements/unsubscribing.ts'
import { factsOfNotifications, preferencesOf } from '../../operations/notifications/statements.ts'
import { addressee } from '../../people/users/statements.ts'
import { quotedOf } from './quoting.ts'
import { APPROVAL_TYPE, addressOf } from './rules.ts'
import * as store from './store.ts'

/**
 * Writes to users whom no open page has told that calls wait. A letter tells of all that wait, and leads to the page
 * that asks; nothing in it decides.
 */
export function approvalLettersJob(platform: Platform): Job {
  return {
    name: 'approval-letters',
    everySeconds: 5,
    async run() {
      if (!(await store.isLetterDue(platform.meta, platform.now()))) return
      const settings = await currentSettings(platform)
      const heads = {
        en: await letterHead(platform, settings, 'en'),
        zh: await letterHead(platform, settings, 'zh'),
      }
      while (!platform.ending.aborted && (await writeOne({ platform, settings, heads })));
    },
  }
}

interface Letters {
  readonly platform: Platform
  readonly settings: Settings
  readonly heads: Readonly<Record<Language, LetterHead>>
}

/** Returns false if none is due. */
async function writeOne({ platform, settings, heads }: Letters): Promise<boolean> {
  const { meta, now } = platform
  return meta.decide([store.lockedDueLetters(meta, now())], async (decision, due) => {
    const [first] = due
    if (!first) return false
    const { user_id } = first
    const ids = due.map(({ id }) => id)
    decision.write(store.endLetters(meta, ids))
    if (!isMailAvailable(platform, settings)) return true
    const [pending, told, preferences, [user]] = await decision.read([
      store.pendingAmong(meta, user_id, ids, now()),
      factsOfNotifications(meta, ids),
      preferencesOf(meta, user_id),
      addressee(meta, user_id),
    ])
    const isWanted = preferences.every(({ type }) => type !== APPROVAL_TYPE)
    const waiting = due.filter(({ id }) => pending.some((one) => one.id === id))
    if (!user || isSynthetic(user.email) || !isWanted || waiting.length === 0) return true
    const facts = new Map(told.map(({ id, data }): [string, ApprovalFacts] => [id, JSON.parse(data ?? '{}')]))
    const language = offeredLanguage(user.language === null ? [] : [user.language], settings)
    const letter = letterAbout(platform, language, waiting, facts)
    if (!letter) return true
    decision.write(
      announcementStatement(platform, {
        to: user.email,
        about: aboutOf(user_id, APPROVAL_TYPE),
        expiresAt: letter.expiresAt,
        ...announcementLetter(
          heads[language],
          addressesOf(platform, settings),
          unsubscribeToken(platform, { userId: user_id, types: [APPROVAL_TYPE] }),
          letter,
          { open: LABELS[language].review, isPlain: true },
        ),
      }),
    )
    return true
  })
}

const LABELS = {
  en: { review: 'Review and decide', many: (count: number) => `${count} actions wait for your approval` },
  zh: { review: '查看并决定', many: (count: number) => `${count} 项操作等待您的批准` },
} as const satisfies Record<Language, object>

function letterAbout(
  platform: Platform,
  language: Language,
  waiting: readonly ApprovalTable[],
  facts: ReadonlyMap<string, ApprovalFacts>,
) {
  const cards = waiting.flatMap((row) => {
    const known = facts.get(row.id)
    return known ? [{ row, ...approvalWords(language, known), quoted: quotedOf(platform, row) }] : []
  })
  const [first] = cards
  if (!first) return undefined
  const words = fieldWords(language)
  const paragraphs = cards.map(({ title, content, quoted }) => {
    const lines = quoted.map(({ field, text }) => `${words[field] ?? field}: ${text}`)
    return [...(cards.length > 1 ? [title] : []), ...lines, content].join('\n')
  })
  return {
    title: cards.length > 1 ? LABELS[language].many(cards.length) : first.title,
    content: paragraphs.join('\n\n'),
    link: addressOf(platform, first.row.id),
    expiresAt: Math.max(...cards.map(({ row }) => row.expires_at)),
  }
}
