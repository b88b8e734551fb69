import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

type State = 'open' | 'silent' | 'refusing'

/** A port that leads to another one, and can be cut, silenced and led elsewhere. */
export class Wire {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #target: number
  #state: State = 'open'

  private constructor(server: Server, target: number) {
    this.#server = server
    this.#target = target
    server.on('connection', (near) => this.#join(near))
  }

  static async to(target: number): Promise<Wire> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Wire(server, target)
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port was given')
    return address.port
  }

  /** The same address through this wire. */
  through(url: string): string {
    const other = new URL(url)
    other.port = String(this.port)
    return other.href
  }

  /** Every connection ends; new ones are taken. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  /** Nothing passes any more, and neither side is told. */
  silence(): void {
    this.#state = 'silent'
  }

  refuse(): void {
    this.#state = 'refusing'
    this.cut()
  }

  /** What was lost while it was silent stays lost, so its connections end. */
  open(target = this.#target): void {
    this.#target = target
    this.#state = 'open'
    this.cut()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.refuse()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket): void {
    if (this.#state === 'refusing') {
      near.destroy()
      return
    }
    const far = connect(this.#target, '127.0.0.1')
    const pair = [near, far] as const
    this.#pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (data) => this.#state === 'silent' || to.write(data))
      from.on('error', () => from.destroy())
      from.on('close', () => {
        if (this.#state === 'silent') return
        this.#pairs.delete(pair)
        to.destroy()
      })
    }
  }
}
