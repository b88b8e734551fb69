import { BlockList, isIP } from 'node:net'
import { Malformed, type Parser } from './parsers.ts'

/** An IPv4 address in the form of IPv6 counts its own bits after these. */
const BITS_BEFORE_IPV4 = 96
const FEWEST_BITS_OF_IPV6 = 7

export const network: Parser<string> = (value) => {
  const [address = '', bits, ...rest] = value.split('/')
  const family = isIP(address)
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
  if (family === 0 || !isPrefix || rest.length > 0)
    throw new Malformed('must be addresses or networks such as 10.0.0.0/8 or fd00::/8')
  if (bits !== undefined && Number(bits) < BITS_BEFORE_IPV4 && isMapped(address))
    throw new Malformed(
      `has an IPv4 network in the form of IPv6 with fewer than 96 bits: ${value}; write it as IPv4, such as 10.0.0.0/8`,
    )
  return value
}

/** A network in which everyone is trusted by mistake would let every client claim any address. */
export const proxyNetwork: Parser<string> = (value) => {
  const [address = '', bits] = network(value).split('/')
  if (bits !== undefined && isTooWide(address, Number(bits)))
    throw new Malformed(
      `must name the proxies only, in networks of at least /8 (IPv4) or /7 (IPv6); in ${value}, anyone could claim any address`,
    )
  return value
}

/** Whether it has more than one /8 of IPv4, in whatever form, or more of IPv6 than its private addresses. */
function isTooWide(address: string, bits: number): boolean {
  if (isIP(address) === 6 && bits < FEWEST_BITS_OF_IPV6) return true
  const list = new BlockList()
  list.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return Array.from({ length: 256 }, (_, first) => list.check(`${first}.0.0.0`)).filter(Boolean).length > 1
}

function isMapped(address: string): boolean {
  const mapped = new BlockList()
  mapped.addSubnet('::ffff:0:0', BITS_BEFORE_IPV4, 'ipv6')
  return isIP(address) === 6 && mapped.check(address, 'ipv6')
}
