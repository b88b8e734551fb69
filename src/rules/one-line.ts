/** Control characters of both sets, line ends, lone surrogates and bidi controls. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]+/u
const EACH_UNFIT = new RegExp(UNFIT.source.slice(0, -1), 'gu')
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]]/v

/** True if a name stays on its line and leaves the text around it alone. */
export const isOneLine = (text: string): boolean => !UNFIT.test(text)

/** A name that somebody wrote without that check, for a place where it must stay within its line. */
export const onOneLine = (text: string): string => text.split(UNFIT).join(' ').trim()

/** The text on one line, or undefined if nothing in it is visible. */
export function visibleLine(text: string): string | undefined {
  const line = onOneLine(text)
  return isVisible(line) ? line : undefined
}

/** True if anything is visible: not only spaces, fillers and zero-width characters. */
export const isVisible = (text: string): boolean => VISIBLE.test(text)

/** Others' text, with its lines, made safe for a terminal. */
export function forTerminal(text: string): string {
  return text.replace(EACH_UNFIT, (found) => (found === '\n' || found === '\t' ? found : ''))
}

/** Characters that nobody sees, though a program reads them. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/gu

/** JSON for a person who has to see all of it: unfit and invisible characters are escaped. */
export function exactly(json: string): string {
  return escaped(json).replace(UNSEEN, (found) =>
    [...Array(found.length).keys()].map((at) => unitAt(found, at)).join(''),
  )
}

/** JSON for a terminal or a log: the same JSON, with such characters escaped. */
export function escaped(json: string): string {
  return json.replace(EACH_UNFIT, (found) => (found === '\n' ? found : unitAt(found, 0)))
}

function unitAt(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`
}
