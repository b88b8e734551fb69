import { z } from 'zod'

/** An https address, or a path of the product, which a page or letter resolves against the product's own address. */
export const Link = z.string().max(2048).refine(isLink, 'Enter an https address, or a path that begins with one slash.')

function isLink(text: string): boolean {
  // Browsers read a backslash as a slash, and leave out tabs and line breaks.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\\\s\u0000-\u001f\u007f]/.test(text)) return false
  if (text.startsWith('/')) return !text.startsWith('//')
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}
