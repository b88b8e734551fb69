import { drawsTooMuch } from './svg-size.ts'

/** Shapes, text, paint and filters. Everything else is refused: script, foreignObject, image, animation. */
const ELEMENTS: ReadonlySet<string> = new Set(
  `svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan textPath
  linearGradient radialGradient stop pattern clipPath mask marker style filter feBlend feColorMatrix
  feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDropShadow feFlood feFuncA
  feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting
  feSpotLight feTile feTurbulence`.split(/\s+/),
)

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ['xmlns', SVG_NAMESPACE],
  ['xmlns:svg', SVG_NAMESPACE],
  ['xmlns:xlink', 'http://www.w3.org/1999/xlink'],
])

const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?'
const ATTRIBUTE = `\\s+(${NAME})\\s*=\\s*("[^"<]*"|'[^'<]*')`
/** One piece of the document at a time; anything that matches none of these is refused. */
const PIECES = new RegExp(
  `<!--(?:(?!--)[\\s\\S])*-->|<(${NAME})((?:${ATTRIBUTE})*)\\s*(/?)>|</(${NAME})\\s*>|([^<]+)`,
  'y',
)

/** Only UTF-8, which is how the text was read and is served. */
const DECLARATION =
  /^<\?xml\s+version\s*=\s*["']1\.[01]["'](?:\s+encoding\s*=\s*["']utf-8["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>/i

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML leaves out
const NO_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\]\]>/

export function isSvg(text: string): boolean {
  return /^(?:<\?xml[^>]*\?>|<!--(?:(?!-->)[\s\S])*-->|\s)*<svg[\s>]/.test(text)
}

/** What is wrong with an SVG. Read strictly, so that no browser can read it differently. */
export function svgFault(document: string): string | undefined {
  const text = document.replace(DECLARATION, '')
  if (NO_XML.test(text)) return 'The SVG has characters that XML does not allow.'
  const reading: Reading = { open: [], roots: 0 }
  for (PIECES.lastIndex = 0; PIECES.lastIndex < text.length; ) {
    const piece = PIECES.exec(text)
    if (!piece) return 'The SVG has a part that a picture does not need, or is not well-formed.'
    const fault = pieceFault(piece, reading)
    if (fault !== undefined) return fault
  }
  const unclosed = reading.open.at(-1)
  if (unclosed !== undefined) return `The SVG is not well-formed: <${unclosed}> is not closed.`
  return drawsTooMuch(text) ? 'The SVG repeats its parts too often for a logo.' : undefined
}

interface Reading {
  readonly open: string[]
  roots: number
}

function pieceFault(piece: RegExpExecArray, reading: Reading): string | undefined {
  const [, started, attributes = '', , , isClosed, ended, text] = piece
  const { open } = reading
  if (text !== undefined) return textFault(text, open.at(-1))
  if (ended !== undefined && open.pop() !== ended) return `The SVG is not well-formed at </${ended}>.`
  if (started === undefined) return undefined
  if (!ELEMENTS.has(started)) return `The SVG contains <${started}>, which is not allowed in a logo.`
  const fault = open.length === 0 ? rootFault(attributes, reading) : undefined
  if (isClosed !== '/') open.push(started)
  return fault ?? attributesFault(attributes)
}

/** Without its namespace no browser shows it as a picture. */
function rootFault(attributes: string, reading: Reading): string | undefined {
  reading.roots += 1
  if (reading.roots > 1) return 'The SVG has more than one picture.'
  return /\sxmlns\s*=/.test(attributes) ? undefined : `The SVG does not say xmlns="${SVG_NAMESPACE}".`
}

function textFault(text: string, element: string | undefined): string | undefined {
  if (element === undefined) return text.trim() === '' ? undefined : 'The SVG has text outside the image.'
  if (hasForeignEntity(text)) return 'The SVG uses entities, which are not allowed in a logo.'
  if (element !== 'style') return undefined
  return styleFault(text)
}

function attributesFault(attributes: string): string | undefined {
  const seen = new Set<string>()
  for (const [, name = '', quoted = ''] of attributes.matchAll(new RegExp(ATTRIBUTE, 'g'))) {
    if (seen.has(name)) return `The SVG is not well-formed: ${name}="…" stands twice in one element.`
    seen.add(name)
    const value = quoted.slice(1, -1)
    if (hasForeignEntity(value)) return 'The SVG uses entities, which are not allowed in a logo.'
    if (isRefused(name, value))
      return `The SVG has the attribute ${name}="…", which is not allowed in a logo.`
    if (/url|style/i.test(`${name}${value}`) && styleFault(value)) return styleFault(value)
  }
  return undefined
}

function isRefused(name: string, value: string): boolean {
  if (/^on/i.test(name)) return true
  if (/^xmlns/i.test(name)) return NAMESPACES.get(name) !== value
  if (/^(?:xlink:)?href$/i.test(name)) return !value.startsWith('#')
  return /^(?:xml:base|src)$/i.test(name)
}

/** Only references within the image; an escape could spell any other. */
function styleFault(style: string): string | undefined {
  const foreign = /[\\@]|expression|url\(\s*(?!["']?#)|image(?:-set)?\(|src\(/i.test(style)
  return foreign ? 'The SVG refers to something outside itself.' : undefined
}

/** Numeric entities could spell a reference, so only the five predefined ones are allowed. */
function hasForeignEntity(text: string): boolean {
  return /&(?!(?:amp|lt|gt|quot|apos);)/.test(text)
}
