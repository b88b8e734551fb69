import { BlockList, isIP } from 'node:net'

/** Networks such as `10.0.0.0/8`, and single addresses. */
export class NetworkList {
  readonly #list = new BlockList()

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/')
      if (bits === undefined) this.#list.addAddress(address, familyOf(address))
      else this.#list.addSubnet(address, Number(bits), familyOf(address))
    }
  }

  has(address: string): boolean {
    return this.#list.check(address, familyOf(address))
  }
}

function familyOf(address: string) {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
