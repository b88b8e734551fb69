import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

type State = 'open' | 'silent' | 'refusing'

/** What PostgreSQL sends once no transaction is open: `ReadyForQuery`, and that it is idle. */
const READY_AFTER_COMMIT = Buffer.from('Z\0\0\0\x05I', 'latin1')

/** A port that leads to another one, and can be cut, silenced and led elsewhere. */
export class Wire {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #target: number
  #state: State = 'open'
  #heard: (data: Buffer) => void = () => undefined
  #answered: (data: Buffer) => boolean = () => true

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

  /** The same addresses through this wire. */
  through(addresses: string): string {
    return addresses.replaceAll(`:${this.#target}/`, `:${this.port}/`)
  }

  /** Every connection ends; new ones are accepted. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  /** Lets nothing pass any more, and tells neither side: a host that lost its power. */
  silence(): void {
    this.#state = 'silent'
  }

  /** It is silent from when the near side sends this text; resolves at once when it has. */
  swallowed(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = (data) => {
        if (!data.includes(text)) return
        this.silence()
        resolve()
      }
    })
  }

  /** Lets no response pass once the near side sends this text; resolves when the far side has committed. */
  unanswered(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = (data) => {
        if (!data.includes(text)) return
        this.#answered = (answer) => {
          if (answer.includes(READY_AFTER_COMMIT)) resolve()
          return false
        }
      }
    })
  }

  refuse(): void {
    this.#state = 'refusing'
    this.cut()
  }

  /** Data lost during the silence stays lost, so its connections end. */
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
    near.on('data', (data) => {
      this.#heard(data)
      if (this.#state !== 'silent') far.write(data)
    })
    far.on('data', (data) => this.#answered(data) && this.#state !== 'silent' && near.write(data))
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('error', () => from.destroy())
      from.on('close', () => {
        if (this.#state === 'silent') return
        this.#pairs.delete(pair)
        to.destroy()
      })
    }
  }
}

export const wireTo = (port: number) => Wire.to(port)
