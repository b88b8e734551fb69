import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe } from 'vitest'
import { listening } from '../../processes/listening.ts'
import { it as base } from '../../service/it.ts'

const it = base.extend<{ send: (...parts: readonly string[]) => Promise<string> }>({
  /** Returns all that comes until the connection is closed. */
  send: async ({ service }, use) => {
    await using server = await listening(service)
    await use(async (...parts) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      await once(socket, 'connect')
      for (const part of parts) socket.write(part)
      return text(socket)
    })
  },
})

/** Each response: status, the code in its JSON body, and its headers. */
function responsesIn(sent: string) {
  return sent
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((one) => one !== '')
    .map((one) => {
      const [head = '', body = ''] = one.split('\r\n\r\n')
      return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), ...JSON.parse(body) }
    })
}

const HOST = 'Host: localhost\r\n'
const CLOSE = 'Connection: close\r\n\r\n'
const CHUNKED = `POST /api/auth/sign-in/email HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`

describe('a request that is broken before any route', () => {
  for (const [what, request, status, code] of [
    ['with more than 32 KiB of headers', `GET / HTTP/1.1\r\nX-A: ${'a'.repeat(33_000)}`, 431, 'HEADERS_TOO_LARGE'],
    ['that is not HTTP', 'hello\r\n\r\n', 400, 'INVALID_REQUEST'],
    [
      'of two lengths',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      'INVALID_REQUEST',
    ],
    ['with a broken chunk', `${CHUNKED}zz\r\n`, 400, 'INVALID_REQUEST'],
    ['with long extensions of a chunk', `${CHUNKED}1;${'a'.repeat(20_000)}\r\n`, 413, 'PAYLOAD_TOO_LARGE'],
    [
      'that expects what is not known',
      `GET /api/health HTTP/1.1\r\n${HOST}Expect: luck\r\n${CLOSE}`,
      417,
      'EXPECTATION_FAILED',
    ],
    ['to be a proxy', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    ['without a host', `GET /api/health HTTP/1.1\r\n${CLOSE}`, 400, 'INVALID_REQUEST'],
  ] as const) {
    it(`is refused in JSON, as any other: one ${what}`, async ({ send, service }) => {
      const [response, ...more] = responsesIn(await send(request))

      assert.deepEqual([response?.status, response?.code, more.length], [status, code, 0])
      assert.match(response?.message, /\.$/)
      for (const line of [
        'content-type: application/json',
        'cache-control: no-store',
        'x-content-type-options: nosniff',
      ])
        assert.ok(response?.head.includes(line), line)
      assert.match(response?.head, /x-request-id: \S+/)
      const metrics = await service.platform.metrics.text()
      assert.match(metrics, new RegExp(`gatehouse_refusals_total\\{[^}]*"${code}"\\} 1`))
    })
  }

  it('is refused after requests that arrived whole before it have their responses', async ({ send }) => {
    const whole = `GET /api/health HTTP/1.1\r\n${HOST}\r\n`

    const ordinary = responsesIn(await send(`${whole}${whole}hello\r\n\r\n`))
    const halfway = responsesIn(await send(`${whole}${whole}${CHUNKED}zz\r\n`))
    const tunnel = responsesIn(await send(`${whole}${whole}CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`))

    for (const [responses, status] of [
      [ordinary, 400],
      [halfway, 400],
      [tunnel, 405],
    ] as const)
      assert.deepEqual(
        responses.map((response) => response.status),
        [200, 200, status],
      )
  })

  it('has one response if it was refused before it arrived whole, and the rest is read for a moment only', async ({
    send,
  }) => {
    const announced = `POST /api/nothing HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\n`
    const tooMuch = `8000\r\n${'x'.repeat(32_768)}\r\n`
    for (const [parts, status] of [
      [[announced], 404],
      [[`${CHUNKED}${tooMuch}`], 413],
      [[`${CHUNKED}${tooMuch}`, 'zz\r\n'], 413],
    ] as const) {
      const responses = responsesIn(await send(...parts))
      assert.deepEqual(
        responses.map((response) => response.status),
        [status],
      )
    }
  })

  it('keeps its connection if the rest comes', async ({ send }) => {
    const refused = `POST /api/nothing HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\n`
    const responses = responsesIn(await send(`${refused}ab`, 'cd', `GET /api/health HTTP/1.1\r\n${HOST}${CLOSE}`))

    assert.deepEqual(
      responses.map((response) => response.status),
      [404, 200],
    )
  })

  it('is served without a host if it is HTTP/1.0', async ({ send }) => {
    const sent = await send('GET /api/health HTTP/1.0\r\n\r\n')

    assert.match(sent, /^HTTP\/1\.1 200 /)
  })
})
