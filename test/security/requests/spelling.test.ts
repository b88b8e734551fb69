import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe } from 'vitest'
import { listening } from '../../processes/listening.ts'
import { it } from '../../service/it.ts'

const SPELLINGS = [
  '/api/%61dmin/list_users',
  '/%61pi/admin/list_users',
  '/api/admin%2Flist_users',
  '/api//admin/list_users',
  '//api/admin/list_users',
  '/api/./admin/list_users',
  '/api/x/../admin/list_users',
  '/api/x/%2e%2e/admin/list_users',
  '/api/x/.%2E/admin/list_users',
  '/api/admin/list_users/',
  '/api/admin/list_users#top',
  '/API/admin/list_users',
  '/api/admin/list_users;a=b',
  'http://localhost/api/%61dmin/list_users',
]

describe('81. the administrator’s list of users', () => {
  for (const path of SPELLINGS) {
    it(`checklist 81: is 404 as ${path}`, async ({ service, administrator }) => {
      await using server = await listening(service)

      assert.match(await statusLine(server.url, path, administrator.token), /^HTTP\/1\.1 404 /)
    })
  }

  it('checklist 81: is refused with backslashes before any route is looked for', async ({
    service,
    administrator,
  }) => {
    await using server = await listening(service)

    const status = await statusLine(server.url, '/api\\admin\\list_users', administrator.token)

    assert.match(status, /^HTTP\/1\.1 40[04] /)
  })

  it('is there under its own name, also in the absolute form of RFC 9112', async ({
    service,
    administrator,
  }) => {
    await using server = await listening(service)

    for (const path of [
      '/api/admin/list_users',
      '/api/admin/list_users?page=%61',
      'http://x/api/admin/list_users',
    ]) {
      assert.match(await statusLine(server.url, path, administrator.token), /^HTTP\/1\.1 200 /, path)
    }
  })
})

describe('81. an address in another spelling', () => {
  for (const path of [
    '/nowhere%20x',
    '//evil',
    '/%2e%2e/',
    '/a/../b',
    '/%',
    '/console/%61',
    '/settings//x',
  ]) {
    it(`checklist 81: is 404 as ${path}, a page for browsers and JSON for programs`, async ({ service }) => {
      await using server = await listening(service)

      const page = await answerTo(server.url, GET(path, 'text/html,*/*;q=0.8'))
      const json = await answerTo(server.url, GET(path, '*/*'))

      assert.match(page, /^HTTP\/1\.1 404 .*\r\ncontent-type: text\/html/is)
      assert.match(json, /^HTTP\/1\.1 404 .*\{"code":"NOT_FOUND"/s)
    })
  }

  for (const path of ['/api//nowhere', '/api/%61', '/.well-known//x']) {
    it(`checklist 81: is JSON for browsers too as ${path}`, async ({ service }) => {
      await using server = await listening(service)

      assert.match(
        await answerTo(server.url, GET(path, 'text/html')),
        /^HTTP\/1\.1 404 .*\{"code":"NOT_FOUND"/s,
      )
    })
  }
})

function GET(path: string, accept: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`
}

async function statusLine(url: string, path: string, token: string): Promise<string> {
  const answer = await answerTo(
    url,
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
  )
  return answer.split('\r\n', 1)[0] ?? ''
}

/** Byte for byte as given; `fetch` would clean the path first. */
async function answerTo(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  return text(socket)
}
