import type { Exchange } from '../exchange.ts'

const PLAIN = /^(?:\/[\w!$&'()*+,;=:@~.-]+)*\/?$/
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/

/**
 * One spelling of each route: a proxy that denies `/api/admin/` must not be passed with `/api/%61dmin/`, `//api`,
 * `/x/../api` or a backslash. No path of ours needs an escape.
 */
export function hasOtherSpelling({ sentPath }: Exchange): boolean {
  return !PLAIN.test(sentPath) || DOT_SEGMENT.test(sentPath)
}
