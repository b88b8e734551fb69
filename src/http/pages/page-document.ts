import { escapedHtml } from '../../rules/html.ts'

/** The page's own facts about this installation, so that no other name is ever shown. */
export interface PageFacts {
  readonly title: string
  /** The address of the site's icon; null for the built-in one. */
  readonly iconUrl: string | null
  /** JSON for the scripts, which then need no request for it. */
  readonly config: unknown
  readonly supportEmail: string
}

/** The colours that a browser has chosen; without a choice they follow its system. */
export type Theme = 'light' | 'dark'

/** The built document with the facts in it, and the scripts that it will need next. */
export function documentWith(
  built: string,
  { title, iconUrl, config, supportEmail }: PageFacts,
  scripts: readonly string[],
  theme: Theme | undefined,
): string {
  const early = scripts.map((path) => `<link rel="modulepreload" crossorigin href="${path}">`).join('')
  return themed(named(built, title, iconUrl), theme)
    .replace(
      '</head>',
      () => `${early}<script type="application/json" id="config">${scriptJson(config)}</script></head>`,
    )
    .replace(/<noscript>.*?<\/noscript>/, () => withoutScripts(escapedHtml(supportEmail)))
}

function withoutScripts(email: string): string {
  const link = `<a href="mailto:${email}">${email}</a>`
  return `<noscript><p>These pages need JavaScript. Please switch it on, or contact ${link}.</p><p lang="zh">这些页面需要 JavaScript。请启用它，或联系 ${link}。</p></noscript>`
}

function themed(built: string, theme: Theme | undefined): string {
  return theme === undefined ? built : built.replace('<html', `<html data-theme="${theme}"`)
}

/** Used while no store has answered yet: no name and no icon, since both could be the wrong ones. */
export function namelessDocument(built: string, host: string): string {
  return named(built, host, 'data:,')
}

function named(built: string, title: string, iconUrl: string | null): string {
  const icon = iconUrl === null ? [] : [`<link rel="icon" href="${escapedHtml(iconUrl)}" />`]
  return built
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapedHtml(title)}</title>`)
    .replace(/<link rel="icon"[^>]*>/, (builtIcon) => icon[0] ?? builtIcon)
}

/** A script element ends at the first `</script`, whatever is around it. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
