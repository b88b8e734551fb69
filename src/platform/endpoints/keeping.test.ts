import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe } from 'vitest'
import { it } from '../../../test/service/webhooks.ts'
import { openNames } from '../names/names.ts'
import { addressesOutside } from '../public-addresses.ts'
import { Transport } from './transport.ts'

const running = new AbortController().signal

const KEPT = 2

/** Resets the first connections at their second request, as if it had closed them before. */
async function startClosing() {
  const requests: number[] = []
  let connections = 0
  const server = createServer((socket) => {
    const number = ++connections
    let count = 0
    socket.on('error', () => undefined)
    socket.on('data', () => {
      requests.push(number)
      if (number <= KEPT && ++count > 1) socket.resetAndDestroy()
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

async function startAnnouncing() {
  const server = createHttpServer((_, response) => {
    const more = () => {
      if (response.destroyed) return
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      setImmediate(more)
    }
    more()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

describe('a connection that is kept', () => {
  it('is replaced if the endpoint has closed it meanwhile, which is not a failed try', async () => {
    await using product = await startClosing()
    const transport = new Transport(addressesOutside(['127.0.0.0/8']), openNames())
    const post = () => transport.send({ url: product.url, headers: {}, body: '{}' }, running)

    await Promise.all(Array.from({ length: KEPT }, post))
    const { status, error } = await post()
    const again = await post()
    transport.close()

    assert.deepEqual([status, error, again.status], [200, null, 200])
    assert.deepEqual(product.requests.slice(0, -2).toSorted(), [1, 1, 2, 2])
    assert.deepEqual(product.requests.slice(-2), [3, 3])
  })

  it('is given up if the endpoint announces an answer without an end', async () => {
    await using product = await startAnnouncing()
    const transport = new Transport(addressesOutside(['127.0.0.0/8']), openNames())
    const { status, error } = await transport.send({ url: product.url, headers: {}, body: '{}' }, running)
    transport.close()

    assert.deepEqual([status, error], [null, 'connection_closed'])
  })

  it('serves many deliveries, each of which is sent once', async ({ webhooks, product, ann }) => {
    const ports = new Set<number | undefined>()
    product.behaviour.answer = (request, response) => {
      ports.add(request.socket.remotePort)
      response.end()
    }
    await webhooks.add(product.url)
    for (let i = 0; i < 20; i++) await webhooks.publish(`${i}`, ann.id)
    await webhooks.send()

    assert.deepEqual([product.got.length, ports.size], [20, 1])
  })
})
