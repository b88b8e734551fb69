import { escapedHtml } from '../../../../rules/html.ts'
import type { Piece } from '../../../../rules/pieces.ts'
import type { Language } from '../../../ground/settings/brand/input.ts'
import type { Colours } from '../../../ground/settings/brand/look/palette.ts'
import { letterStyle } from './layout-style.ts'

export interface Letter {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The operator's part of every letter, and the reader's language. */
export interface LetterHead {
  readonly appName: string
  /** The administrator's address, for the reader of the letter. */
  readonly supportEmail: string
  readonly language: Language
  readonly colours: Colours
  /** A list of typefaces, as in CSS. */
  readonly font: string
  /** In pixels. */
  readonly radius: number
  /** Undefined without a logo, or if mail programs cannot display it. */
  readonly logoUrl: string | undefined
}

export interface LetterContent {
  readonly subject: string
  /** An announcement's has pieces: bold words, and links with words. */
  readonly paragraphs: readonly (string | readonly Piece[])[]
  /** Shown large, and selected with one click. */
  readonly code?: string
  /** Does the same as entering the code. */
  readonly link?: { readonly address: string; readonly label: string }
  readonly closing: string
  /** The link below the letter that unsubscribes. */
  readonly foot?: { readonly address: string; readonly label: string }
}

const QUESTIONS = { en: 'Questions? Write to', zh: '有问题？请写信至' } as const
const COLON = { en: ':', zh: '：' } as const
const LANG = { en: 'en', zh: 'zh-CN' } as const

/** A plain text part and an HTML part with the same content. */
export function writeLetter(letter: LetterHead & LetterContent): Letter {
  return { subject: letter.subject, text: plainText(letter), html: page(letter) }
}

function plainText(letter: LetterHead & LetterContent): string {
  const { appName, supportEmail, language, paragraphs, code, link, closing, foot } = letter
  const parts = [
    ...paragraphs.map(inText),
    ...(code === undefined ? [] : [`    ${code}`]),
    ...(link === undefined ? [] : [`${link.label}${COLON[language]}\n${link.address}`]),
    closing,
    `-- \n${appName}\n${QUESTIONS[language]} ${supportEmail}`,
    ...(foot === undefined ? [] : [`${foot.label}${COLON[language]}\n${foot.address}`]),
  ]
  return `${parts.join('\n\n')}\n`
}

function page(letter: LetterHead & LetterContent): string {
  const { supportEmail, language, subject, paragraphs, code, link, closing, foot } = letter
  return `<!doctype html>
<html lang="${LANG[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapedHtml(subject)}</title>
<style>${letterStyle(letter)}</style>
</head>
<body>
<main class="letter">
${nameLine(letter)}
<h1>${escapedHtml(subject)}</h1>
${paragraphs.map((paragraph) => `<p>${inHtml(paragraph)}</p>`).join('\n')}
${code === undefined ? '' : `<p class="code">${escapedHtml(code)}</p>\n`}${linkLine(link)}<p class="closing">${escapedHtml(closing)}</p>
</main>
<p class="foot">${QUESTIONS[language]} <a href="mailto:${escapedHtml(supportEmail)}">${escapedHtml(supportEmail)}</a>${footLine(foot)}</p>
</body>
</html>
`
}

function inHtml(paragraph: string | readonly Piece[]): string {
  if (typeof paragraph === 'string') return escapedHtml(paragraph).replaceAll('\n', '<br>')
  return paragraph.map(pieceInHtml).join('')
}

function pieceInHtml({ text, url, isBold }: Piece): string {
  const words = isBold ? `<strong>${inHtml(text)}</strong>` : inHtml(text)
  return url === undefined || url === text ? words : `<a href="${escapedHtml(url)}">${words}</a>`
}

/** The address of a link stands behind its words. */
function inText(paragraph: string | readonly Piece[]): string {
  if (typeof paragraph === 'string') return paragraph
  return paragraph.map(({ text, url }) => (url === undefined || url === text ? text : `${text} (${url})`)).join('')
}

function nameLine({ appName, logoUrl }: LetterHead): string {
  const logo = logoUrl === undefined ? '' : `<img src="${escapedHtml(logoUrl)}" alt="" height="32">`
  return `<p class="name">${logo}${escapedHtml(appName)}</p>`
}

function linkLine(link: LetterContent['link']): string {
  if (link === undefined) return ''
  return `<p class="link"><a href="${escapedHtml(link.address)}">${escapedHtml(link.label)}</a></p>\n`
}

function footLine(foot: LetterContent['foot']): string {
  return foot === undefined ? '' : `<br><a href="${escapedHtml(foot.address)}">${escapedHtml(foot.label)}</a>`
}
