import type { NotificationsTable } from '../../../../database/schema/operations.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { onOneLine } from '../../../../rules/one-line.ts'
import { announcedPieces } from '../../../../rules/pieces.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { type Letter, type LetterContent, type LetterHead, writeLetter } from './layout.ts'

const WORDS = {
  en: {
    open: 'Open',
    all: 'See all notifications',
    closing: 'You can choose which notifications are sent to you by email in your settings.',
    unsubscribe: 'Unsubscribe from emails of this kind',
    digest: (appName: string) => `Your day at ${appName}`,
  },
  zh: {
    open: '打开',
    all: '查看全部通知',
    closing: '您可以在设置中选择哪些通知通过邮件发送给您。',
    unsubscribe: '退订此类邮件',
    digest: (appName: string) => `${appName} 今日通知`,
  },
} as const

const LONGEST_EXCERPT = 300

type Announced = Pick<NotificationsTable, 'title' | 'content' | 'link'>

/** The addresses that letters lead to. */
interface Addresses {
  readonly baseUrl: string
  /** The product's address; '' if the operator has not set one. */
  readonly homeUrl: string
}

export function addressesOf({ config }: Platform, { brand }: Settings): Addresses {
  return { baseUrl: config.baseUrl, homeUrl: brand.home_url }
}

interface Drawing {
  /** The words of the link. */
  readonly open?: string
  /** It quotes what a program has written, whose marks must not become links. */
  readonly isPlain?: boolean
}

type UnsubscribableLetter = Letter & { readonly unsubscribe: string }

/** `token` goes into its links to unsubscribe. */
export function announcementLetter(
  head: LetterHead,
  addresses: Addresses,
  token: string,
  { title, content, link }: Announced,
  { open = WORDS[head.language].open, isPlain = false }: Drawing = {},
): UnsubscribableLetter {
  const { all } = WORDS[head.language]
  const address = linkIn(addresses, link)
  return unsubscribable(head, addresses, token, {
    subject: onOneLine(title),
    paragraphs: content.split(/\n{2,}/).map((text) => (isPlain ? text : announcedPieces(text))),
    link: address ? { address, label: open } : { address: `${addresses.baseUrl}/notifications`, label: all },
  })
}

export function digestLetter(
  head: LetterHead,
  addresses: Addresses,
  token: string,
  items: readonly Announced[],
): UnsubscribableLetter {
  const { all, digest } = WORDS[head.language]
  const lines = ({ title, content, link }: Announced) => [
    onOneLine(title),
    excerpt(content),
    linkIn(addresses, link) ?? '',
  ]
  return unsubscribable(head, addresses, token, {
    subject: digest(head.appName),
    paragraphs: items.map((item) => lines(item).filter(Boolean).join('\n')),
    link: { address: `${addresses.baseUrl}/notifications`, label: all },
  })
}

function unsubscribable(
  head: LetterHead,
  { baseUrl }: Addresses,
  token: string,
  content: Pick<LetterContent, 'subject' | 'paragraphs' | 'link'>,
): UnsubscribableLetter {
  const { closing, unsubscribe } = WORDS[head.language]
  const foot = { label: unsubscribe, address: `${baseUrl}/unsubscribe?token=${token}` }
  const letter = writeLetter({ ...head, ...content, closing, foot })
  return { ...letter, unsubscribe: `${baseUrl}/api/unsubscribe?token=${token}` }
}

function excerpt(content: string): string {
  const line = onOneLine(
    announcedPieces(content)
      .map(({ text }) => text)
      .join(''),
  )
  return line.length <= LONGEST_EXCERPT ? line : `${[...line].slice(0, LONGEST_EXCERPT - 1).join('')}…`
}

/** A path is the product's; without the product's address it leads nowhere. */
function linkIn({ homeUrl }: Addresses, link: string | null): string | undefined {
  if (link === null || !link.startsWith('/')) return link ?? undefined
  return URL.parse(link, homeUrl)?.href
}
