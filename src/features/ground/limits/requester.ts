import type { Requester } from '../../../platform/passwords/passwords.ts'
import { neighbourhoodOf, networkOf, THIS_MACHINE } from '../../../rules/networks.ts'

/** Groups the callers that share a queue for password hashes. */
export function requesterOf({ address }: { readonly address: string }, account: string): Requester {
  return [neighbourhoodOf(address), networkOf(address) ?? THIS_MACHINE, account]
}
