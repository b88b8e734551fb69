import { BlockList, isIP } from 'node:net'

export interface ProxyTrust {
  isTrusted(address: string): boolean
  /** The last hop that is not one of ours. */
  clientAddress(peer: string, forwardedFor: string | undefined): string
}

export function proxyTrust(networks: readonly string[]): ProxyTrust {
  const list = new BlockList()
  for (const network of networks) addNetwork(list, network)
  const isTrusted = (address: string) => {
    const plain = withoutMapping(address)
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    isTrusted,
    clientAddress(peer, forwardedFor) {
      const hops = (forwardedFor ?? '').split(',').map((hop) => withoutMapping(hop.trim()))
      const client = hops.findLast((hop) => !isTrusted(hop))
      return client !== undefined && isIP(client) !== 0 ? client : withoutMapping(peer)
    },
  }
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (prefix === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(prefix), family)
}

/** `::ffff:127.0.0.1` is 127.0.0.1. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
