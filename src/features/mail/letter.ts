export interface Letter {
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface Content {
  readonly appName: string
  /** The administrator's address, for the reader of the letter. */
  readonly supportEmail: string
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** Shown large, and selected with one click. */
  readonly code?: string
  /** Opens what the code opens. */
  readonly link?: { readonly address: string; readonly label: string }
  readonly closing: string
}

/** One plain part and one for eyes, which say the same. */
export function writeLetter(content: Content): Letter {
  return { subject: content.subject, text: plainText(content), html: page(content) }
}

function plainText({ appName, supportEmail, paragraphs, code, link, closing }: Content): string {
  const parts = [
    ...paragraphs,
    ...(code === undefined ? [] : [`    ${code}`]),
    ...(link === undefined ? [] : [link.address]),
    closing,
    `-- \n${appName}\nQuestions? Write to ${supportEmail}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function page({ appName, supportEmail, subject, paragraphs, code, link, closing }: Content): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${STYLE}</style>
</head>
<body>
<main class="letter">
<p class="name">${escaped(appName)}</p>
<h1>${escaped(subject)}</h1>
${paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('\n')}
${code === undefined ? '' : `<p class="code">${escaped(code)}</p>\n`}${linkLine(link)}<p class="closing">${escaped(closing)}</p>
<p class="closing">Questions? Write to <a href="mailto:${escaped(supportEmail)}">${escaped(supportEmail)}</a>.</p>
</main>
</body>
</html>
`
}

function linkLine(link: Content['link']): string {
  if (link === undefined) return ''
  return `<p class="link"><a href="${escaped(link.address)}">${escaped(link.label)}</a></p>\n`
}

const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 32px 16px; background: #f4f4f1; color: #1d2521;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
.letter { max-width: 480px; margin: 0 auto; padding: 32px; background: #ffffff; border-radius: 12px; }
.name { margin: 0 0 24px; font-weight: 600; color: #2f6b4f; }
h1 { margin: 0 0 16px; font-size: 22px; line-height: 1.3; }
.code { margin: 24px 0; padding: 16px; border-radius: 8px; background: #eef3ef; text-align: center;
  font: 600 32px/1.2 ui-monospace, "SF Mono", Menlo, Consolas, monospace; letter-spacing: 6px;
  -webkit-user-select: all; user-select: all; }
.link { margin: 24px 0; text-align: center; }
.link a { color: #2f6b4f; font-weight: 600; }
.closing { margin: 24px 0 0; font-size: 14px; color: #56635c; }
a { color: inherit; }
@media (prefers-color-scheme: dark) {
  body { background: #141816; color: #e6ebe8; }
  .letter { background: #1d2320; }
  .name { color: #7cc7a0; }
  .code { background: #27302b; }
  .link a { color: #7cc7a0; }
  .closing { color: #a3b0a9; }
}
`

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
])

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES.get(character) ?? character)
}
