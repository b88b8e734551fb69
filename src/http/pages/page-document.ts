import { escapedHtml } from '../../rules/html.ts'

/** The page's own facts about this installation, so that no other name is ever shown. */
export interface PageFacts {
  readonly title: string
  /** The address of the site's icon; null for the built-in one. */
  readonly iconUrl: string | null
  /** The address of the operator's style sheet, which comes after ours; null without one. */
  readonly styleUrl: string | null
  /** The colours behind the pages; null for the built-in ones. */
  readonly ground: Readonly<Record<Theme, string>> | null
  /** The application whose look this is; undefined for the installation's. */
  readonly styleOf?: string | undefined
  /** JSON for the scripts, which then need no request for it. */
  readonly config: unknown
  readonly supportEmail: string
}

/** The colours that a browser has chosen; without a choice they follow its system. */
export type Theme = 'light' | 'dark'

export function themeOf(chosen: string | undefined): Theme | undefined {
  return chosen === 'light' || chosen === 'dark' ? chosen : undefined
}

/** The built document with the facts in it, and the scripts that it will need next. */
export function documentWith(
  built: string,
  { title, iconUrl, styleUrl, ground, config, supportEmail }: PageFacts,
  scripts: readonly string[],
  theme: Theme | undefined,
): string {
  const early = scripts.map((path) => `<link rel="modulepreload" crossorigin href="${path}">`).join('')
  const style = styleUrl === null ? '' : `<link rel="stylesheet" id="brand" href="${escapedHtml(styleUrl)}">`
  return themed(grounded(named(built, title, iconUrl), ground), theme)
    .replace(
      '</head>',
      () => `${early}${style}<script type="application/json" id="config">${scriptJson(config)}</script></head>`,
    )
    .replace(/<noscript>.*?<\/noscript>/, () => withoutScripts(escapedHtml(supportEmail)))
}

function withoutScripts(email: string): string {
  const link = `<a href="mailto:${email}">${email}</a>`
  return `<noscript><p>These pages need JavaScript. Please switch it on, or contact ${link}.</p><p lang="zh">这些页面需要 JavaScript。请启用它，或联系 ${link}。</p></noscript>`
}

/** What browsers colour around the page. */
function grounded(built: string, ground: PageFacts['ground']): string {
  if (ground === null) return built
  return built.replace(
    /<meta name="theme-color" content="[^"]*" media="\(prefers-color-scheme: (light|dark)\)"/g,
    (_, theme: Theme) => `<meta name="theme-color" content="${ground[theme]}" media="(prefers-color-scheme: ${theme})"`,
  )
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
