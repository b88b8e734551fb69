import { Refusal } from '../../rules/refusal.ts'
import type { Exchange } from '../exchange.ts'

const PLAIN = /^(?:\/[\w!$&'()*+,;=:@~.-]+)*\/?$/
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/

/**
 * One spelling of each route: a proxy that denies `/api/admin/` must not be passed with `/api/%61dmin/`, `//api`,
 * `/x/../api` or a backslash. No path of ours needs an escape.
 */
export function refuseOtherSpelling({ sentPath }: Exchange): void {
  if (PLAIN.test(sentPath) && !DOT_SEGMENT.test(sentPath)) return
  throw new Refusal('NOT_FOUND', 'There is nothing at this address.')
}
