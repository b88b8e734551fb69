import { BlockList, isIP } from 'node:net'
import { Malformed, type Parser } from './parsers.ts'

/** An IPv4-mapped IPv6 address begins with 96 fixed bits; a shorter prefix would cover all of IPv4. */
const BITS_BEFORE_IPV4 = 96

export const network: Parser<string> = (value) => {
  const [address = '', bits, ...rest] = value.split('/')
  const family = isIP(address)
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
  if (family === 0 || !isPrefix || rest.length > 0)
    throw new Malformed('must be addresses or networks such as 10.0.0.0/8 or fd00::/8')
  if (bits !== undefined && Number(bits) < BITS_BEFORE_IPV4 && isMapped(address))
    throw new Malformed(
      `has an IPv4-mapped network with fewer than 96 bits: ${value}; write it as IPv4, such as 10.0.0.0/8`,
    )
  return value
}

function isMapped(address: string): boolean {
  const mapped = new BlockList()
  mapped.addSubnet('::ffff:0:0', BITS_BEFORE_IPV4, 'ipv6')
  return isIP(address) === 6 && mapped.check(address, 'ipv6')
}
