/** Line ends, control characters, lone surrogates and bidi controls. */
const UNFIT = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/u
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]/v

/** Whether a name stays within its line and leaves the text around it alone. */
export const isOneLine = (text: string): boolean => !UNFIT.test(text)

/** A name that somebody wrote without that check, for a place where it must stay within its line. */
export const onOneLine = (text: string): string => text.split(UNFIT).join(' ').trim()

/** On one line, or undefined if nothing of it can be seen. */
export function visibleLine(text: string): string | undefined {
  const line = onOneLine(text)
  return isVisible(line) ? line : undefined
}

/** Whether there is anything to see: not only spaces, fillers and characters without width. */
export const isVisible = (text: string): boolean => VISIBLE.test(text)
