import { EventEmitter, once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export interface TestSmtpServer {
  readonly url: string
  /** Each message as it came over the wire. */
  readonly messages: readonly string[]
  /** Resolves with the next message that comes. */
  nextMessage(): Promise<string>
  /** The number of connections. */
  connections(): number
  /** Ends the open connections. */
  hangUp(): void
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The part of RFC 5321 that a client needs; `refuse` answers recipients. Each connection breaks off at the line
 * `breakAt`.
 */
export async function startSmtpServer(refuse: Refuse = () => undefined, breakAt?: BreakAt) {
  const messages: string[] = []
  const arrivals = new EventEmitter()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const keep = (message: string) => {
      messages.push(message)
      arrivals.emit('message', message)
    }
    // A client that is killed ends in the middle of a letter.
    converse(socket, keep, { refuse, breakAt }).catch(() => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')

  async function stop() {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }

  return {
    url: `smtp://127.0.0.1:${address.port}`,
    messages,
    async nextMessage() {
      const [message] = await once(arrivals, 'message')
      return String(message)
    },
    connections: () => sockets.size,
    hangUp: () => {
      for (const socket of sockets) socket.end()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  } satisfies TestSmtpServer
}

type Refuse = (recipient: string) => string | undefined

type BreakAt = 'greeting' | 'MAIL' | 'DATA' | '.'

interface Behaviour {
  readonly refuse: Refuse
  readonly breakAt: BreakAt | undefined
}

async function converse(
  socket: Socket,
  keep: (message: string) => void,
  { refuse, breakAt }: Behaviour,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  if (breakAt === 'greeting') socket.destroy()
  else socket.write('220 test\r\n')
  let letter: string[] | undefined
  for await (const line of createInterface({ input: socket })) {
    if (letter && line !== '.') {
      letter.push(line)
      continue
    }
    if (letter) keep(letter.join('\n'))
    if (breakAt !== undefined && line.startsWith(breakAt)) socket.destroy()
    letter = /^DATA/i.test(line) ? [] : undefined
    socket.write(`${replyTo(line, refuse)}\r\n`)
  }
}

function replyTo(line: string, refuse: Refuse): string {
  if (/^DATA/i.test(line)) return '354 go on'
  if (/^QUIT/i.test(line)) return '221 bye'
  return (/^RCPT TO:/i.test(line) && refuse(line)) || '250 fine'
}
