import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'

export interface Balancer {
  readonly url: string
  request(path: string, init?: RequestInit): Promise<Response>
  /** Resolves when nothing is sent to this process any more. */
  leftAlone(port: number): Promise<void>
  stop(): Promise<void>
}

const ASK_EVERY_MILLISECONDS = 50
const LEFT_ALONE_WITHIN_MILLISECONDS = 180_000

/**
 * Round-robin over those that say they are ready, with connections kept. Nothing is ever sent twice;
 * only a connection that could not be made is tried elsewhere.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set<number>(ports)
  let turn = 0
  const next = () => [...ready][turn++ % Math.max(1, ready.size)]
  const asking = setInterval(() => void Promise.all(ports.map(ask)), ASK_EVERY_MILLISECONDS)

  async function ask(port: number): Promise<void> {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) ready.add(port)
    else ready.delete(port)
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    pass(incoming, body, outgoing)
  }

  function pass(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse): void {
    const port = next()
    if (port === undefined) {
      outgoing.writeHead(502).end('{"code":"NOBODY_READY"}')
      return
    }
    const { method, url, headers } = incoming
    const upstream = request({ agent, host: '127.0.0.1', port, method, path: url, headers })
    upstream.on('response', (answer) => {
      const { connection: _, 'keep-alive': __, ...kept } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, kept)
      pipeline(answer, outgoing, () => undefined)
    })
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      ready.delete(port)
      if (error.code === 'ECONNREFUSED') pass(incoming, body, outgoing)
      else outgoing.writeHead(502).end(JSON.stringify({ code: error.code ?? error.message }))
    })
    upstream.end(body)
  }

  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const url = `http://localhost:${address.port}`
  return {
    url,
    request: (path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }),
    async leftAlone(port) {
      const deadline = AbortSignal.timeout(LEFT_ALONE_WITHIN_MILLISECONDS)
      while (ready.has(port)) {
        deadline.throwIfAborted()
        await ask(port)
      }
    },
    async stop() {
      clearInterval(asking)
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
