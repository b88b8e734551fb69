import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Got {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A product's endpoint, which responds as the test says. */
export async function startProduct(answer: Answer = (_, response) => response.end('thanks')) {
  const got: Got[] = []
  const behaviour = { answer }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push({ headers: request.headers as Got['headers'], body })
    behaviour.answer(request, response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return {
    url,
    got,
    behaviour,
    types: () => got.map(({ body }) => JSON.parse(body).type),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
