import { isIPv6 } from 'node:net'

/**
 * Who is limited together: an IPv4 address, or the /64 that one IPv6 customer has. Undefined for this
 * machine itself: behind a proxy that is not declared as trusted everybody seems to be there.
 */
export function networkOf(address: string): string | undefined {
  if (/^(127\.|::1$|localhost$|unknown$)/.test(address)) return undefined
  return isIPv6(address) ? `${first64Bits(address)}::/64` : address
}

function first64Bits(address: string): string {
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail ? tail.split(':') : [])]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
