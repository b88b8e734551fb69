import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const HOST = '127.0.0.1'
/** What a server that asks the receiver has to allow. */
export const RECEIVERS_NETWORK = `${HOST}/32`

const CHUNK = Buffer.alloc(64 * 1024, 'a')
const CHUNKS_OF_A_GIGABYTE = 16 * 1024

/** Ways in which a product's receiver answers. */
export const ANSWERS = {
  yes: (response) => response.end('{"allow":true}'),
  hangs: () => undefined,
  dies: (response) => response.destroy(),
  'answers 1 GB': pour,
  redirects: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  'answers garbage': (response) => response.end('<html>'),
  'is late': async (response) => {
    await wait(5_000)
    response.end('{"allow":true}')
  },
} as const satisfies Readonly<Record<string, (response: ServerResponse) => unknown>>

/** A product's receiver in this process. */
export async function startReceiver() {
  const behaviour: { answer: (response: ServerResponse) => unknown } = { answer: ANSWERS.yes }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => void behaviour.answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  return {
    behaviour,
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function pour(response: ServerResponse): Promise<void> {
  const gone = new Promise((resolve) => response.once('close', resolve))
  for (let i = 0; i < CHUNKS_OF_A_GIGABYTE && !response.destroyed; i++) {
    if (!response.write(CHUNK)) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone])
  }
  response.end()
}
