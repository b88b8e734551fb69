/** A document as the build has rendered it from `docs/`. */
export interface Page {
  readonly name: string
  readonly title: string
  readonly lead: string
  readonly html: string
}

export interface Group {
  readonly title: string
  readonly pages: readonly Page[]
}

/** What follows a heading, up to the next one. */
export interface Section {
  readonly page: Page
  /** Empty for what comes before the first heading. */
  readonly anchor: string
  readonly heading: string
  readonly level: number
  readonly text: string
  /** The text as it is searched. */
  readonly lower: string
}

const HEADING = /<h([2-6]) id="([^"]*)">(.*?)<\/h\1>/g

export function sectionsOf(page: Page): readonly Section[] {
  const headings = [...page.html.matchAll(HEADING)]
  const start = page.html.slice(0, headings[0]?.index)
  const others = headings.map(({ 0: whole, 1: level, 2: anchor = '', 3: heading = '', index }, at) => {
    const html = page.html.slice(index + whole.length, headings[at + 1]?.index)
    return { page, anchor, heading: textOf(heading), level: Number(level), ...searched(html) }
  })
  return [{ page, anchor: '', heading: page.title, level: 1, ...searched(start) }, ...others]
}

function searched(html: string): Pick<Section, 'text' | 'lower'> {
  const text = textOf(html)
  return { text, lower: text.toLowerCase() }
}

function textOf(html: string): string {
  return html
    .replaceAll(/<h1>.*?<\/h1>/g, '')
    .replaceAll(/<\/(?:p|li|t[dh]|tr|pre)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
