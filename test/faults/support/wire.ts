import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

interface Wire {
  /** The same address through the wire. */
  through(url: string): string
  /** Nothing passes any more, and no connection is closed: a host that lost its power. */
  silence(): void
  /** Nothing passes from when the near side sends this text; resolves at once when it has. */
  swallowed(text: string): Promise<void>
  /** From when the near side sends this text, no answer passes; resolves when the far side has committed. */
  unanswered(text: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A wire to a port of this machine that can be cut without a word. */
export async function wireTo(port: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  let isSilent = false
  let isUnanswered = false
  let last: string | undefined
  let unheard: string | undefined
  const tried = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const passesOut = (data: Buffer) => {
    if (unheard !== undefined && data.includes(unheard)) {
      isSilent = true
      tried.resolve()
    }
    if (last !== undefined && data.includes(last)) isUnanswered = true
    return !isSilent
  }
  const passesBack = (data: Buffer) => {
    if (isUnanswered && data.includes('COMMIT')) answered.resolve()
    return !isSilent && !isUnanswered
  }
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to, passes] of [
      [near, far, passesOut],
      [far, near, passesBack],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => passes(data) && to.write(data))
      from.on('close', () => isSilent || to.destroy())
      from.on('error', () => from.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    through(url) {
      const other = new URL(url)
      other.port = String(address.port)
      return other.href
    },
    silence() {
      isSilent = true
    },
    unanswered(text) {
      last = text
      return answered.promise
    },
    swallowed(text) {
      unheard = text
      return tried.promise
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
