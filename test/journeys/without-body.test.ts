import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { Installation } from '../processes/installation.ts'

let program: Installation
let port: number

beforeAll(async () => {
  program = new Installation()
  const { url } = await program.serve()
  port = Number(new URL(url).port)
})

afterAll(() => program[Symbol.asyncDispose]())

describe('a request without a body', () => {
  it('is answered if it is a POST that announces no length', async () => {
    const [answer] = await send(POST('sign-out'))

    assert.deepEqual(answer, { status: 200, body: '{"success":true}' })
  })

  it('is refused like an empty object if the route needs input', async () => {
    const [answer] = await send(POST('sign-in/email'))

    assert.deepEqual([answer?.status, codeOf(answer)], [400, 'INVALID_REQUEST'])
  })

  it('leaves the connection to the next request, whose body is read', async () => {
    const chunked = POST('sign-in/email', JSON_BODY, 'Transfer-Encoding: chunked')
    const announced = POST('sign-in/email', JSON_BODY, 'Content-Length: 1')

    const answers = await send(
      GET,
      POST('sign-out'),
      `${chunked}1\r\n{\r\n0\r\n\r\n`,
      GET,
      `${announced}{`,
      GET,
    )

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.slice(0, 30)]),
      [
        [200, 'null'],
        [200, '{"success":true}'],
        [400, NOT_JSON],
        [200, 'null'],
        [400, NOT_JSON],
        [200, 'null'],
      ],
    )
  })
})

const JSON_BODY = 'Content-Type: application/json'
const NOT_JSON = '{"code":"INVALID_REQUEST","mes'
const GET = request('GET', 'get-session', [])

function POST(path: string, ...lines: readonly string[]): string {
  return request('POST', path, lines)
}

function request(method: string, path: string, lines: readonly string[]): string {
  return [`${method} /api/auth/${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n')
}

interface Answered {
  readonly status: number
  readonly body: string
}

/** All in one packet, and the last one on the connection. */
async function send(...requests: readonly string[]): Promise<readonly Answered[]> {
  const last = requests.at(-1)?.replace('\r\n', '\r\nConnection: close\r\n') ?? ''
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write([...requests.slice(0, -1), last].join(''))
  return [...(await text(socket)).matchAll(ANSWER)].map(([, status, length, rest = '']) => ({
    status: Number(status),
    body: rest.slice(0, Number(length)),
  }))
}

const ANSWER = /HTTP\/1\.1 (\d{3}).*?\r\ncontent-length: (\d+).*?\r\n\r\n(.*?)(?=HTTP\/1\.1|$)/gis

function codeOf(answer: Answered | undefined): unknown {
  return JSON.parse(answer?.body ?? '{}').code
}
