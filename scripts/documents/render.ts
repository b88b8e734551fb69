import { Marked, type Tokens } from 'marked'
import { escapedHtml } from '../../src/rules/html.ts'

export interface Rendered {
  readonly title: string
  /** The first sentence, for the list of documents. */
  readonly lead: string
  readonly html: string
}

const MORE_THAN_WORDS = /[^\p{L}\p{N}\s_-]/gu

/** A document of `docs/` as the HTML of its article. Anchors are those that GitHub gives the headings. */
export function render(markdown: string, names: ReadonlySet<string>): Rendered {
  const slugs = new Map<string, number>()
  const slugOf = (text: string) => {
    const slug = text.toLowerCase().replace(MORE_THAN_WORDS, '').trim().replaceAll(/\s/g, '-')
    const before = slugs.get(slug) ?? 0
    slugs.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  }
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const words = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1>${words}</h1>\n`
        const id = slugOf(text)
        return `<h${depth} id="${id}"><a href="#${id}">${words}</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapedHtml(addressOf(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      codespan({ text }) {
        const name = /^docs\/([\w-]+)\.md$/.exec(text)?.[1]
        const code = `<code>${escapedHtml(text)}</code>`
        return name !== undefined && names.has(name) ? `<a href="/docs/${name}">${code}</a>` : code
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escapedHtml(text)}\n</code></pre>\n`
      },
      html({ text }) {
        return escapedHtml(text)
      },
      table(token) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map((cell) => `<${tag}${cell.align === 'right' ? ' class="number"' : ''}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n')
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`
      },
    },
  })
  const tokens = marked.lexer(markdown)
  const title = /^# (.*)$/m.exec(markdown)?.[1] ?? ''
  const paragraph = tokens.find((token): token is Tokens.Paragraph => token.type === 'paragraph')
  return { title, lead: firstSentence(paragraph?.text ?? ''), html: marked.parser(tokens) }
}

/** Files of this folder are pages beside each other; everything else keeps its address. */
function addressOf(href: string): string {
  return href.replace(/^([\w-]+)\.md(?=#|$)/, '/docs/$1')
}

function firstSentence(text: string): string {
  const plain = text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
