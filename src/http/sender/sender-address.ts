import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'
import { NetworkList } from '../../platform/network-list.ts'
import type { Unidentified } from '../exchange.ts'

interface Found {
  /** The caller's address, as reported by trusted proxies. */
  readonly address: string
  /** `AS`, `EU`, … if a trusted proxy reports it. */
  readonly continent: string | undefined
}

type FindClient = (unidentified: Unidentified) => Found

/** Forwarded headers count only if the connection comes from a trusted network. */
export function senderFinder(config: Pick<Config, 'trustedProxies' | 'continentHeader'>): FindClient {
  if (config.trustedProxies.length === 0) {
    return ({ peer }) => ({ address: plain(peer) ?? UNKNOWN, continent: undefined })
  }
  const trusted = new NetworkList(config.trustedProxies)
  return (unidentified) => {
    const direct = plain(unidentified.peer)
    if (direct === undefined) return { address: UNKNOWN, continent: undefined }
    if (!trusted.has(direct)) return { address: direct, continent: undefined }
    const hops = unidentified.header('x-forwarded-for')?.split(',') ?? []
    return {
      address: farthestKnown(trusted, direct, hops),
      continent: continentIn(unidentified, config.continentHeader),
    }
  }
}

/** An address that is neither this machine nor a trusted proxy. */
const UNKNOWN = '0.0.0.0'

/**
 * Reads from the right: each trusted proxy vouches for the hop before it, and the first untrusted address is the
 * client.
 */
function farthestKnown(trusted: NetworkList, direct: string, hops: readonly string[]): string {
  let known = direct
  for (const hop of hops.toReversed()) {
    const address = plain(hop)
    if (address === undefined) return known
    known = address
    if (!trusted.has(known)) return known
  }
  return known
}

function continentIn(unidentified: Unidentified, name: string): string | undefined {
  const code = unidentified.header(name)?.trim().toUpperCase() ?? ''
  return /^[A-Z]{2}$/.test(code) ? code : undefined
}

/** Drops port, brackets, zone, and the IPv6 form of an IPv4 address. */
function plain(hop: string): string | undefined {
  if (isIP(hop) === 4) return hop
  const bare = hop
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
  if (!isIP(bare)) return undefined
  return /:ffff:[^:]+(:[^:]+)?$/i.test(bare) ? unmapped(bare) : bare
}

/** The IPv6 form of an IPv4 address can be spelled in many ways, and all of these are in one /64. */
function unmapped(address: string): string {
  const { hostname } = new URL(`http://[${address}]`)
  const [, high, low] = /^\[::ffff:([^:]+):([^:]+)\]$/.exec(hostname) ?? []
  if (high === undefined || low === undefined) return address
  const bits = Number.parseInt(high, 16) * 2 ** 16 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}
