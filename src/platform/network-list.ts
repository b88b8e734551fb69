import { BlockList, isIP } from 'node:net'

/** Networks such as `10.0.0.0/8`, and single addresses. */
export class NetworkList {
  readonly #networks: readonly string[]
  #list: BlockList | undefined

  constructor(networks: readonly string[]) {
    this.#networks = networks
  }

  has(address: string): boolean {
    this.#list ??= listOf(this.#networks)
    return this.#list.check(address, familyOf(address))
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

function familyOf(address: string) {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
