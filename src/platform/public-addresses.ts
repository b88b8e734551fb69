import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { NetworkList } from './network-list.ts'

/** Addresses that are not on the public internet. */
const PRIVATE: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly failure: 'private_address' | 'http_not_allowed'

  constructor(protocol: string) {
    super(
      protocol === 'https:'
        ? 'The address is in a private network. WEBHOOK_NETWORKS can allow it.'
        : 'Only https:// is allowed, except into the networks of WEBHOOK_NETWORKS.',
    )
    this.failure = protocol === 'https:' ? 'private_address' : 'http_not_allowed'
  }
}

/** Decides at each connection, after the name is resolved, so changing a name's address gains nothing. */
export interface Addresses {
  /** True if the refusal is known without a look-up: a numeric address, this machine, plain http. */
  isKnownRefused(url: Pick<URL, 'hostname' | 'protocol'>): boolean
  refuseKnown(url: URL): void
  /** The lookup of one request, which has its own way to look names up. */
  lookupFor(protocol: string, find: Find): LookupFunction
}

type Find = (name: string) => Promise<readonly LookupAddress[]>

export function addressesOutside(named: readonly string[]): Addresses {
  const forbidden = new NetworkList(PRIVATE)
  const allowed = new NetworkList(named)
  const isReachable = (address: string, protocol: string) =>
    allowed.has(address) || (protocol === 'https:' && !forbidden.has(address))
  const isKnownRefused: Addresses['isKnownRefused'] = ({ hostname, protocol }) => {
    const known = addressesOf(hostname)
    const isNowhere = known.length > 0 && !known.some((address) => isReachable(address, protocol))
    return isNowhere || (protocol === 'http:' && named.length === 0)
  }
  return {
    isKnownRefused,
    refuseKnown(url) {
      if (isKnownRefused(url)) throw new AddressRefused(url.protocol)
    },
    lookupFor: (protocol, find) => (name, options, callback) => {
      const reach = (found: readonly LookupAddress[]) => {
        const reachable = found.filter(({ address }) => isReachable(address, protocol))
        const [first] = reachable
        if (first === undefined) return callback(new AddressRefused(protocol), '')
        return options.all ? callback(null, reachable) : callback(null, first.address, first.family)
      }
      find(name).then(reach, (error) => callback(error, ''))
    },
  }
}

/** Empty if the name has to be looked up. */
function addressesOf(hostname: string): readonly string[] {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIP(bare) !== 0) return [bare]
  return /^(.+\.)?localhost\.?$/.test(hostname) ? ['127.0.0.1', '::1'] : []
}
