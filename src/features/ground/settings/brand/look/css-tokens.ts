/** The parts of a style sheet that can name an address or a rule; everything else is one character at a time. */
export interface Token {
  readonly kind: 'comment' | 'string' | 'word' | 'function' | 'at' | 'url' | 'open' | 'close' | 'other'
  /** What browsers read: escapes are replaced. For a `url`, its address. */
  readonly value: string
  /** The text as it is written. */
  readonly raw: string
  /** The place of its first character. */
  readonly at: number
  /** False if it ends before it is closed. */
  readonly isWhole: boolean
}

const SPACE = /[ \n\t\r\f]*/y
const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/y
const ESCAPE = String.raw`\\(?:[0-9a-f]{1,6}(?:\r\n|[ \n\t\r\f])?|[^0-9a-f\n\r\f])`
const WORD = new RegExp(String.raw`(?:[\w-]|[^\0-\x7f]|${ESCAPE})+`, 'iyu')
const STRING = /"((?:[^"\\\n\r\f]|\\(?:\r\n|[\s\S]|$))*)("?)|'((?:[^'\\\n\r\f]|\\(?:\r\n|[\s\S]|$))*)('?)/y
const URL_BODY = /(?:[^)\\]|\\[\s\S])*/y

/**
 * Splits CSS as browsers do (CSS Syntax 3), in linear time, as far as addresses and at-rules need it. A word also
 * begins at a digit, so that a dimension is never more than what it would be to a browser.
 */
export function* cssTokens(css: string): Generator<Token> {
  const match = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from
    return pattern.exec(css)?.[0] ?? ''
  }
  for (let at = 0; at < css.length; ) {
    const token = tokenAt(css, at, match)
    yield token
    at += token.raw.length
  }
}

type Match = (pattern: RegExp, from: number) => string

function tokenAt(css: string, at: number, match: Match): Token {
  const first = css[at] ?? ''
  if (css.startsWith('/*', at)) {
    const raw = match(COMMENT, at)
    return { kind: 'comment', value: '', raw, at, isWhole: raw.length >= 4 && raw.endsWith('*/') }
  }
  const text = stringAt(css, at)
  if (text) return text
  const name = first === '@' ? match(WORD, at + 1) : ''
  if (name !== '') return { kind: 'at', value: unescaped(name), raw: first + name, at, isWhole: true }
  const word = match(WORD, at)
  if (word !== '') return wordAt(css, at, word, match)
  const kind = '([{'.includes(first) ? 'open' : ')]}'.includes(first) ? 'close' : 'other'
  return { kind, value: first, raw: first, at, isWhole: true }
}

function stringAt(css: string, at: number): Token | undefined {
  STRING.lastIndex = at
  const found = STRING.exec(css)
  if (!found) return undefined
  const [raw, double, doubleEnd, single = '', singleEnd] = found
  return { kind: 'string', value: unescaped(double ?? single), raw, at, isWhole: Boolean(doubleEnd || singleEnd) }
}

function wordAt(css: string, at: number, word: string, match: Match): Token {
  const value = unescaped(word)
  const after = at + word.length
  if (css[after] !== '(') return { kind: 'word', value, raw: word, at, isWhole: true }
  if (value.toLowerCase() !== 'url') return { kind: 'function', value, raw: `${word}(`, at, isWhole: true }
  const inside = after + 1 + match(SPACE, after + 1).length
  const quoted = stringAt(css, inside)
  const body = quoted?.raw ?? match(URL_BODY, inside)
  const end = inside + body.length + (quoted ? match(SPACE, inside + body.length).length : 0)
  const isWhole = css[end] === ')' && quoted?.isWhole !== false
  const address = quoted?.value ?? unescaped(body.replace(/[ \n\t\r\f]+$/, ''))
  return { kind: 'url', value: address, raw: css.slice(at, end + (isWhole ? 1 : 0)), at, isWhole }
}

const ESCAPES = /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \n\t\r\f])?|(\r\n|[\n\r\f])|([\s\S])|$)/giu

function unescaped(text: string): string {
  return text.replace(ESCAPES, (_, hex?: string, newline?: string, plain?: string) => {
    if (hex === undefined) return newline === undefined ? (plain ?? '') : ''
    const code = Number.parseInt(hex, 16)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : '\ufffd'
  })
}
