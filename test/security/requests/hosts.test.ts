import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe } from 'vitest'
import { listening } from '../../processes/listening.ts'
import { it } from '../../service/it.ts'

const PATHS = ['/', '/metrics', '/readyz', '/api/health', '/api/auth/get-session', '/nowhere']

describe('checklist 93: a request with two hosts', () => {
  for (const path of PATHS) {
    it(`is 400 with either of them first: ${path}`, async ({ service }) => {
      await using server = await listening(service)

      const own = ['Host: localhost', 'hOST: localhost']
      const foreign = 'Host: evil.example'
      const answers = []
      for (const lines of [[...own, foreign], [foreign, ...own], own])
        answers.push(await statusOf(server.url, path, lines))
      const one = await statusOf(server.url, path, ['Host: localhost', 'X-Host: evil.example'])

      assert.deepEqual(answers, [400, 400, 400])
      assert.notEqual(one, 400)
    })
  }
})

async function statusOf(url: string, path: string, lines: readonly string[]): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write([`GET ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'))
  const answer = await text(socket)
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
}
