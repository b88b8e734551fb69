import type { Exchange } from '../exchange.ts'

const PLAIN = /^(?:\/[\w!$&'()*+,;=:@~.-]+)*\/?$/
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/

/**
 * Allows one spelling of each route: a proxy that denies `/api/admin/` must not be bypassed with `/api/%61dmin/`,
 * `//api`, `/x/../api` or a backslash. None of our paths needs an escape.
 */
export function hasOtherSpelling({ path }: Exchange): boolean {
  return !PLAIN.test(path) || DOT_SEGMENT.test(path)
}
