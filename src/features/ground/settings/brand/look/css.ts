import { z } from 'zod'
import { cssTokens, type Token } from './css-tokens.ts'

const MOST_BYTES = 16 * 1024
/** Far more than a style sheet needs, and far less than what is slow in a browser. */
const DEEPEST = 32

/** The whole of an address, so that nothing in it means something else to another reader. */
const OWN_ADDRESS = /^\/api\/brand\/\w+(?:\?[\w=&-]*)?$/
/** Functions that fetch, with any prefix: browsers differ in what they take for the beginning of a name. */
const FETCHES = /(?:url|src|image|image-set)$/i
const ONLY_OWN = 'url() can only have an address below /api/brand/'

interface Fault {
  readonly at: number
  readonly message: string
}

/** The operator's style sheet, without a byte order mark. */
export const Css = z
  .string()
  .overwrite((css) => css.replace(/^\ufeff/, ''))
  .superRefine((css, context) => {
    const message = faultOfCss(css)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

/** Why browsers are not given this style sheet, with the place. */
export function faultOfCss(css: string): string | undefined {
  if (Buffer.byteLength(css) > MOST_BYTES) return 'The style sheet is larger than 16 KB.'
  const fault = firstFault(css)
  return fault && `${placeOf(css, fault.at)}: ${fault.message}.`
}

function firstFault(css: string): Fault | undefined {
  const odd = css.search(/\0|\p{Surrogate}/u)
  if (odd >= 0) return { at: odd, message: 'this character cannot be in a style sheet' }
  let depth = 0
  for (const token of cssTokens(css)) {
    const message = faultOf(token)
    if (message !== undefined) return { at: token.at, message }
    if (token.kind === 'open' || token.kind === 'function') depth += 1
    if (token.kind === 'close' && depth > 0) depth -= 1
    if (depth > DEEPEST) return { at: token.at, message: `this is deeper than ${DEEPEST} brackets` }
  }
  return undefined
}

function faultOf({ kind, value, raw, isWhole }: Token): string | undefined {
  if (kind === 'url') return isWhole && OWN_ADDRESS.test(value) ? undefined : ONLY_OWN
  if (!isWhole) return `this ${kind} is not closed`
  if (kind === 'at' && value.toLowerCase() === 'import') return '@import is not allowed'
  if (kind === 'string' && /^\s*data:/i.test(value)) return 'data: is not allowed'
  if (kind !== 'function') return undefined
  if (FETCHES.test(value)) return `${value}() is not allowed`
  return /[^\0-\x7f]/.test(raw) ? 'the name of a function can only have ASCII characters' : undefined
}

function placeOf(css: string, at: number): string {
  const lines = css.slice(0, at).split(/\r\n|[\n\r\f]/)
  return `Line ${lines.length}, column ${Array.from(lines.at(-1) ?? '').length + 1}`
}
