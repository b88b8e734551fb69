import { Refusal } from '../../rules/refusal.ts'
import type { Exchange } from '../exchange.ts'

/** Health checks of some load balancers send an empty one. */
const HOST = /^(?:(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?)?$/i

/**
 * RFC 9112, section 3.2: a proxy in front may have taken a host that Node drops. Only a request of HTTP/1.0 may have
 * none.
 */
export function refuseUnclearHost({ incoming: { rawHeaders, headers, httpVersion } }: Exchange): void {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 0 && httpVersion === '1.0') return
  if (hosts !== 1) throw new Refusal('INVALID_REQUEST', 'Send one Host header.')
  if (!HOST.test(headers.host ?? '')) throw new Refusal('INVALID_REQUEST', 'The Host header names no host.')
}
