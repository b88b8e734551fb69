import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

interface Heard {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface TestHttpServer {
  readonly url: string
  readonly heard: readonly Heard[]
  stop(): Promise<void>
}

interface Reply {
  readonly status?: number
  readonly body: unknown
}

/** A service of another party: `answer` decides; undefined leaves the caller waiting. */
export async function startHttpServer(
  answer: (heard: Heard) => Reply | undefined | Promise<Reply>,
): Promise<TestHttpServer> {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const call = { method, path: url, headers, body: await text(request) }
    heard.push(call)
    const given = await answer(call)
    if (!given) return
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json' })
    response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')

  return {
    url: `http://127.0.0.1:${address.port}`,
    heard,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
