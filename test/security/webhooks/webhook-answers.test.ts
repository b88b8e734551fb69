import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, it } from 'vitest'
import { type DeliveryOutcome, Transport } from '../../../src/platform/endpoints/transport.ts'
import { openNames } from '../../../src/platform/names/names.ts'
import { addressesOutside } from '../../../src/platform/public-addresses.ts'

const MEGABYTE = 1024 ** 2
const running = new AbortController().signal

/** The result of an attempt at an endpoint that writes to the connection as it likes. */
async function attemptAt(answer: (socket: Socket) => void): Promise<DeliveryOutcome> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = new Transport(addressesOutside(['127.0.0.0/8']), openNames())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    return await transport.send({ url, headers: {}, body: '{}' }, running)
  } finally {
    transport.close()
    server.close()
  }
}

describe('the answer of an endpoint', () => {
  it.for([
    ['is none if it is not HTTP, and the reason says so', '<html>Hello</html>\r\n', [false, null, null, 'not_http']],
    [
      'counts by its status if its body breaks off',
      'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf of it',
      [true, 200, 'half of it', null],
    ],
    [
      'is what follows a 100 Continue',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
      [true, 204, '', null],
    ],
  ] as const)('%s', async ([, written, expected]) => {
    const { isAccepted, status, answer, error } = await attemptAt((socket) => socket.end(written))

    assert.deepEqual([isAccepted, status, answer, error], expected)
  })

  it('is cut off when its headers do not end', async () => {
    let written = 0
    const line = `x: ${'x'.repeat(1_000)}\r\n`
    const { isAccepted, error } = await attemptAt((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const pour = () => {
        while (!socket.destroyed && written < 1024 * MEGABYTE) {
          written += line.length
          if (!socket.write(line)) return socket.once('drain', pour)
        }
        return socket.end()
      }
      pour()
    })

    assert.deepEqual([isAccepted, error], [false, 'headers_too_long'])
    assert.ok(written < 64 * MEGABYTE, `${written} bytes were written`)
  })

  it('is not unpacked if it is compressed', async () => {
    const packed = gzipSync(Buffer.alloc(10 * MEGABYTE))
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`

    const { isAccepted, answer } = await attemptAt((socket) => socket.write(Buffer.concat([Buffer.from(head), packed])))

    assert.equal(isAccepted, true)
    assert.ok((answer ?? '').length <= 1_000)
    assert.ok((answer ?? '').startsWith('\u001f'))
  })
})
