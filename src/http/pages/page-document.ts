/** What the page itself says of this installation, so that nothing of another name is ever seen. */
export interface PageFacts {
  readonly title: string
  /** Of the site's icon; null for the built one. */
  readonly iconUrl: string | null
  /** JSON for the scripts, which need not ask for it. */
  readonly config: unknown
}

/** The built document with the facts in it, and the scripts that it will want next. */
export function documentWith(
  built: string,
  { title, iconUrl, config }: PageFacts,
  scripts: readonly string[],
): string {
  const early = scripts.map((path) => `<link rel="modulepreload" crossorigin href="${path}">`).join('')
  const icon = iconUrl === null ? [] : [`<link rel="icon" href="${escaped(iconUrl)}" />`]
  return built
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(title)}</title>`)
    .replace(/<link rel="icon"[^>]*>/, (builtIcon) => icon[0] ?? builtIcon)
    .replace(
      '</head>',
      () => `${early}<script type="application/json" id="config">${scriptJson(config)}</script></head>`,
    )
}

/** A script element ends at the first `</script`, whatever is around it. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
