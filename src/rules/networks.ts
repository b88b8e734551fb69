import { isIPv6 } from 'node:net'

/**
 * Callers who are limited together: an IPv4 address, or the /64 of one IPv6 customer. Undefined for this
 * machine itself, because behind an undeclared proxy everybody seems to be there.
 */
export function networkOf(address: string): string | undefined {
  if (isThisMachine(address)) return undefined
  return isIPv6(address) ? `${firstGroups(address, 4)}::/64` : address
}

/** A block of addresses that often has one owner: an IPv4 /24, an IPv6 /48. */
export function neighbourhoodOf(address: string): string {
  if (isThisMachine(address)) return THIS_MACHINE
  if (isIPv6(address)) return `${firstGroups(address, 3)}::/48`
  return `${address.split('.').slice(0, 3).join('.')}.0/24`
}

/** One local network: an IPv4 /24, or the /64 of one IPv6 customer. */
export function localNetworkOf(address: string): string {
  return isIPv6(address) ? (networkOf(address) ?? THIS_MACHINE) : neighbourhoodOf(address)
}

export const THIS_MACHINE = 'this-machine'

function isThisMachine(address: string): boolean {
  return /^(127\.|::1$|localhost$|unknown$)/.test(address)
}

function firstGroups(address: string, count: number): string {
  // An IPv4 address at the end stands for the last two groups.
  const [head = '', tail] = address.replace(/(?:\d+\.){3}\d+$/, '0:0').split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail ? tail.split(':') : [])]
  return all
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
