import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { describe } from 'vitest'
import { type Answering, listening } from '../../processes/listening.ts'
import { it as base } from '../../service/it.ts'

const MANY = 300

interface Fixtures {
  readonly connectTo: (url: string) => Promise<Client>
}

const it = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  connectTo: async ({}, use) => {
    const clients: Client[] = []
    await use(async (url) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      await once(socket, 'connect')
      const client = new Client(socket)
      clients.push(client)
      return client
    })
    for (const { socket } of clients) socket.destroy()
  },
})

/** A connection, and the status lines of what came on it. */
class Client {
  readonly socket: Socket
  text = ''
  #news = Promise.withResolvers<void>()

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (data) => {
      this.text += data
      this.#tell()
    })
    socket.on('close', () => this.#tell())
  }

  #tell(): void {
    this.#news.resolve()
    this.#news = Promise.withResolvers<void>()
  }

  get(...paths: readonly string[]): void {
    this.socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  }

  get statuses(): readonly number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  }

  async hears(responses: number): Promise<void> {
    while (this.statuses.length < responses) {
      if (this.socket.closed) throw new Error(`it was closed after ${this.statuses.length} responses`)
      await this.#news.promise
    }
  }
}

describe('127. requests that a connection sends without waiting', () => {
  it('checklist 127: take turns with those of others', async ({ service, connectTo }) => {
    await using server = await listening(service)
    const [flood, other] = [await connectTo(server.url), await connectTo(server.url)]

    flood.get(...Array<string>(MANY).fill('/api/health'), '/api/openapi.json')
    other.get('/healthz')
    await Promise.all([flood.hears(MANY + 1), other.hears(1)])

    const begun = service.log.lines.filter(({ message }) => message === 'request').map(({ fields }) => fields.path)
    assert.equal(begun.length, MANY + 2)
    assert.ok(begun.indexOf('/healthz') < 5, `it was number ${begun.indexOf('/healthz') + 1}`)
  })

  it('checklist 127: are answered in their order, with their bodies, one after the other', async ({
    service,
    connectTo,
  }) => {
    let running = 0
    let mostAtOnce = 0
    const counted =
      (answer: Answering): Answering =>
      async (incoming, outgoing) => {
        mostAtOnce = Math.max(mostAtOnce, ++running)
        await answer(incoming, outgoing)
        running--
      }
    await using server = await listening(service, counted)
    const client = await connectTo(server.url)
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'wrong password' })
    const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

    client.get('/api/health')
    client.socket.write(`POST /api/auth/sign-in/email HTTP/1.1\r\n${head}${body}`)
    client.get('/nowhere', '/healthz')
    await client.hears(4)

    assert.deepEqual(client.statuses, [200, 401, 404, 200])
    assert.equal(mostAtOnce, 1)
  })

  it('checklist 127: are not read further while some of them wait', async ({ service, connectTo }) => {
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<Socket>()
    const holding =
      (answer: Answering): Answering =>
      async (incoming, outgoing) => {
        if (incoming.url === '/nowhere') {
          if (incoming.socket instanceof Socket) arrived.resolve(incoming.socket)
          await held.promise
        }
        return answer(incoming, outgoing)
      }
    await using server = await listening(service, holding)
    const [flood, other] = [await connectTo(server.url), await connectTo(server.url)]
    flood.get('/nowhere')
    const socket = await arrived.promise

    const chunk = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2_000)
    const rounds = 20
    for (let i = 0; i < rounds; i++) {
      flood.socket.write(chunk)
      other.get('/healthz')
      await other.hears(i + 1)
    }
    const read = socket.bytesRead
    held.resolve()
    await flood.hears(1)

    assert.ok(read < 3 * chunk.length, `${read} bytes were read`)
  })
})
