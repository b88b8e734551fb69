import { z } from 'zod'
import { Answer } from '../../../http/answers/answer.ts'
import { type ProtectedCall, protectedRoute } from '../../../http/route.ts'
import { CHANGES, type Change } from '../../../rules/changes.ts'
import { given } from '../../../rules/given.ts'
import { Link } from '../../../rules/link.ts'
import { continentName } from '../../delivery/mail/circumstances/continent.ts'
import { deviceInWords } from '../../delivery/mail/circumstances/device.ts'
import { letterHead } from '../../delivery/mail/sender.ts'
import { addressesOf, announcementLetter, digestLetter } from '../../delivery/mail/texts/announcements.ts'
import { codeLetter } from '../../delivery/mail/texts/codes.ts'
import type { Letter, LetterHead } from '../../delivery/mail/texts/layout.ts'
import { noticeLetter } from '../../delivery/mail/texts/notices.ts'
import { organizationInvitationLetter } from '../../delivery/mail/texts/organization-invitation.ts'
import { switchedOffLetter } from '../../delivery/mail/texts/switched-off.ts'
import { testLetter } from '../../delivery/mail/texts/test-email.ts'
import { Language, Name, Palette } from '../../ground/settings/brand/input.ts'
import { Style } from '../../ground/settings/brand/look/look.ts'
import { coloursOf } from '../../ground/settings/brand/look/palette.ts'
import { sheetOf, stackOf } from '../../ground/settings/brand/look/sheet.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'

/** Allows the image and the styles of a letter, and nothing else. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'self'; sandbox"

const CODES = ['email-verification', 'password-reset', 'invitation'] as const
const ANNOUNCEMENTS = ['announcement', 'announcements of a day'] as const
const KINDS = [
  ...CODES,
  'organization invitation',
  ...CHANGES,
  ...ANNOUNCEMENTS,
  'endpoint switched off',
  'test',
] as const

const { radius, ...styles } = Style.omit({ css: true }).partial().shape

/** Unsaved values from the settings page replace the saved ones, and an unpublished announcement the sample. */
const PreviewLetter = z.object({
  kind: z.enum(KINDS),
  language: Language,
  name: Name.optional(),
  ...styles,
  radius: z.preprocess((sent) => (typeof sent === 'string' ? Number(sent) : sent), radius),
  title: z.string().max(200).optional(),
  content: z.string().max(10_000).optional(),
  link: z.string().max(2048).optional(),
})
type PreviewLetter = z.output<typeof PreviewLetter>

const ListLetters = PreviewLetter.pick({ language: true, name: true })
type ListLetters = z.output<typeof ListLetters>

export const previewRoutes = [
  protectedRoute({
    method: 'GET',
    path: '/api/admin/preview_letter',
    summary: 'A letter as its reader would see it, as HTML',
    scope: 'config:brand:read',
    input: PreviewLetter,
    output: z.string(),
    mediaType: 'text/html',
    handle: async (call: ProtectedCall, preview: PreviewLetter) => {
      const { html } = letterOf(preview.kind, await shownIn(call, preview), call)
      return new Answer(html, 200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'cache-control': 'no-store',
      })
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_letters',
    summary: 'Every letter that can be sent, by its subject',
    scope: 'config:brand:read',
    input: ListLetters,
    output: z.object({ items: z.array(z.object({ kind: z.enum(KINDS), subject: z.string() })) }),
    handle: async (call: ProtectedCall, preview: ListLetters) => {
      const shown = await shownIn(call, preview)
      return { items: KINDS.map((kind) => ({ kind, subject: letterOf(kind, shown, call).subject })) }
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/preview_palette',
    summary: 'The colours that pages make of these settings, and their style sheet',
    scope: 'config:brand:read',
    input: Style.partial(),
    output: z.object({ palette: Palette, sheet: z.string() }),
    handle: async ({ platform, caller }: ProtectedCall, style) => {
      const { brand } = await currentSettings(platform, caller.settingsRevision)
      const typed = { ...brand, ...given(style) }
      return { palette: coloursOf(typed).palette, sheet: sheetOf(typed) }
    },
  }),
] as const

interface Preview {
  readonly head: LetterHead
  readonly settings: Settings
  readonly announcement: Announcement
}

async function shownIn({ platform, caller }: ProtectedCall, preview: Omit<PreviewLetter, 'kind'>): Promise<Preview> {
  const settings = await currentSettings(platform, caller.settingsRevision)
  const head = await letterHead(platform, settings, preview.language)
  const { title, content, link, accent, accent_dark, background, font, radius } = preview
  const { brand } = settings
  const colours = { ...brand, ...given({ accent, accent_dark, background }) }
  const sample = SAMPLE[preview.language]
  return {
    settings,
    head: {
      ...head,
      appName: preview.name || head.appName,
      colours: coloursOf(colours),
      font: stackOf(font ?? brand.font),
      radius: radius ?? brand.radius,
    },
    announcement: {
      title: title || sample.title,
      content: content || sample.content,
      link: Link.safeParse(link).data ?? null,
    },
  }
}

interface Announcement {
  readonly title: string
  readonly content: string
  readonly link: string | null
}

const SAMPLE = {
  en: { title: 'Version 2 is here', content: 'It starts in half the time.\n\nThank you for your ideas.' },
  zh: { title: '第二版已发布', content: '启动时间缩短了一半。\n\n感谢您的建议。' },
} as const satisfies Readonly<Record<Language, Omit<Announcement, 'link'>>>

/** This token unsubscribes nobody. */
const NO_TOKEN = 'preview'

type Kind = (typeof KINDS)[number]

const isOneOf = <Known extends Kind>(known: readonly Known[], kind: Kind): kind is Known =>
  known.some((one) => one === kind)

/** Sample names for letters about an application, a token or a passkey. */
const NAMES: Readonly<Partial<Record<Change, string>>> = {
  'application connected': 'Calendar',
  'token made': 'Nightly report',
  'token revoked': 'Nightly report',
  'passkey copied': 'Phone',
  'removed from organisation': 'Rowing Club',
  'ownership gained': 'Rowing Club',
  'ownership lost': 'Rowing Club',
}

/** Renders the letter with sample data. */
function letterOf(kind: Kind, { head, settings, announcement }: Preview, { platform, sender }: ProtectedCall): Letter {
  const { baseUrl } = platform.config
  const addresses = addressesOf(platform, settings)
  if (kind === 'announcement') return announcementLetter(head, addresses, NO_TOKEN, announcement)
  if (kind === 'announcements of a day') return digestLetter(head, addresses, NO_TOKEN, [announcement])
  if (kind === 'test') return testLetter(head)
  if (kind === 'endpoint switched off') {
    return switchedOffLetter(head, { host: 'hooks.example.com', consoleUrl: `${baseUrl}/console/webhooks` })
  }
  if (isOneOf(CODES, kind)) {
    const code = kind === 'invitation' ? undefined : '123456'
    return codeLetter(kind, head, { code, link: `${baseUrl}/verify`, isLast: false })
  }
  if (kind === 'organization invitation') {
    const inviter = { name: 'Maria', address: 'maria@example.com' }
    return organizationInvitationLetter(head, { organization: 'Rowing Club', inviter, link: `${baseUrl}/invitation` })
  }
  return noticeLetter(head, kind, {
    at: platform.now(),
    device: deviceInWords(sender.userAgent, head.language),
    address: '203.0.113.7',
    place: continentName('EU', head.language) ?? null,
    name: NAMES[kind],
  })
}
