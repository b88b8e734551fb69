import { Refusal } from '../../rules/refusal.ts'
import type { Exchange } from '../exchange.ts'

/** RFC 9112, section 3.2: a proxy in front may have taken the host that Node drops. */
export function refuseUnclearHost({ hasOneHost }: Exchange): void {
  if (!hasOneHost) throw new Refusal('INVALID_REQUEST', 'Send one Host header.')
}
