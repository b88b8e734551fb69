import { createHash } from 'node:crypto'
import type { Call } from '../../../http/route.ts'
import { networkOf } from '../../limits/networks.ts'

/** Somebody at the door, who names an address. */
export function guesserOf({ client }: Call, email: string) {
  return { target: limitKeyFor(email), network: networkOf(client.address) }
}

/** Somebody inside: what strangers do at the door does not hold this person up. */
export function insiderOf({ client }: Call, userId: string) {
  return { target: `inside:${userId}`, network: networkOf(client.address) }
}

export function limitKeyFor(email: string): string {
  return `door:${createHash('sha256').update(email).digest('hex')}`
}
