interface Element {
  readonly parts: Element[]
  readonly references: readonly string[]
}

/** A browser draws a part again wherever it is referred to, so a few lines could keep it busy for hours. */
const MOST_DRAWN = 10_000
const DEEPEST = 200

const TAG = /<(\/?)([A-Za-z_][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*?)(\/?)>/g
const STYLE_SHEET = /<style[^>]*>([^<]*)/g

/** Of a document that is well-formed: whether it draws more than a picture of this size needs. */
export function drawsTooMuch(document: string): boolean {
  const text = document.replace(/<!--[\s\S]*?-->/g, '')
  const sheets = [...text.matchAll(STYLE_SHEET)].map(([, sheet = '']) => sheet)
  const { root, named } = treeOf(text, referencesIn(sheets.join(' ')))
  const sizes = new Map<Element, number>()

  const sizeOf = (element: Element, depth: number): number => {
    const known = sizes.get(element)
    if (known !== undefined) return known
    if (depth > DEEPEST) return MOST_DRAWN + 1
    // Browsers draw nothing that contains itself.
    sizes.set(element, 0)
    const referred = element.references.flatMap((id) => named.get(id) ?? [])
    const size = [...element.parts, ...referred].reduce(
      (sum, part) => (sum > MOST_DRAWN ? sum : sum + sizeOf(part, depth + 1)),
      1,
    )
    sizes.set(element, size)
    return size
  }
  return sizeOf(root, 0) > MOST_DRAWN
}

/** A style sheet can refer from every element that has a class. */
function treeOf(text: string, fromSheets: readonly string[]) {
  const root: Element = { parts: [], references: [] }
  const named = new Map<string, Element>()
  const open: Element[] = [root]
  for (const [, isEnd, , attributes = '', isClosed] of text.matchAll(TAG)) {
    if (isEnd === '/') {
      open.pop()
      continue
    }
    const own = referencesIn(attributes)
    const element: Element = {
      parts: [],
      references: /\sclass\s*=/.test(attributes) ? [...own, ...fromSheets] : own,
    }
    open.at(-1)?.parts.push(element)
    const [, , id] = /\sid\s*=\s*(["'])(.*?)\1/.exec(attributes) ?? []
    if (id !== undefined) named.set(id, element)
    if (isClosed !== '/') open.push(element)
  }
  return { root, named }
}

/** The ids behind `href="#a"` and `url(#a)`. */
function referencesIn(text: string): string[] {
  return [...text.matchAll(/(?:href\s*=\s*["']|url\(\s*["']?)#([^"')\s]+)/gi)].map(([, id = '']) => id)
}
