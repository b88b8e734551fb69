import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe } from 'vitest'
import { listening } from '../../processes/listening.ts'
import { assertRefused } from '../../service/answers.ts'
import { it as base } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

/** Byte for byte as given; `fetch` would clean the path first. */
type Ask = (request: string, lines: readonly string[], body?: string) => Promise<string>

const it = base.extend<{ readonly ask: Ask }>({
  ask: async ({ service }, use) => {
    await using server = await listening(service)
    await use(async (request, lines, body = '') => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write([`${request} HTTP/1.1`, ...lines, 'Connection: close', '', body].join('\r\n'))
      return text(socket)
    })
  },
})

const LOCAL = 'Host: localhost'

describe('81. the administrator’s list of users', () => {
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
  const OWN = ['/api/admin/list_users', '/api/admin/list_users?page=%61', 'http://x/api/admin/list_users']

  for (const [what, paths, status] of [
    ['is 404 as anything else', SPELLINGS, /^HTTP\/1\.1 404 /],
    ['is refused with backslashes', ['/api\\admin\\list_users'], /^HTTP\/1\.1 40[04] /],
    ['is there under its own name, also in the absolute form of RFC 9112', OWN, /^HTTP\/1\.1 200 /],
  ] as const) {
    it(`checklist 81: ${what}`, async ({ ask, administrator }) => {
      const type = ['Content-Type: application/json', 'Content-Length: 2']
      const lines = [LOCAL, `Authorization: Bearer ${administrator.token}`, ...type]

      for (const path of paths) assert.match(await ask(`POST ${path}`, lines, '{}'), status, path)
    })
  }
})

describe('81. an address in another spelling', () => {
  const PAGE = /^HTTP\/1\.1 404 .*\r\ncontent-type: text\/html/is
  const JSON_ANSWER = /^HTTP\/1\.1 404 .*\{"code":"NOT_FOUND"/s

  it('checklist 81: is 404, a page for browsers and JSON for programs', async ({ ask }) => {
    for (const path of ['/nowhere%20x', '//evil', '/%2e%2e/', '/a/../b', '/%', '/console/%61', '/settings//x']) {
      assert.match(await ask(`GET ${path}`, [LOCAL, 'Accept: text/html,*/*;q=0.8']), PAGE, path)
      assert.match(await ask(`GET ${path}`, [LOCAL, 'Accept: */*']), JSON_ANSWER, path)
    }
  })

  it('is the front page if it names only a host', async ({ ask }) => {
    const answers = ['/', 'http://localhost', 'http://localhost?a=b'].map((path) => ask(`GET ${path}`, [LOCAL]))
    const [front, ...others] = (await Promise.all(answers)).map((answer) => answer.split('\r\n\r\n')[1])
    assert.deepEqual(others, [front, front])
  })

  it('checklist 81: is JSON for browsers too where no page can be', async ({ ask }) => {
    for (const path of ['/api//nowhere', '/api/%61', '/.well-known//x'])
      assert.match(await ask(`GET ${path}`, [LOCAL, 'Accept: text/html']), JSON_ANSWER, path)
  })
})

describe('checklist 93: a request with two hosts', () => {
  it('is 400 with either of them first', async ({ ask }) => {
    const own = [LOCAL, 'hOST: localhost']
    const foreign = 'Host: evil.example'

    for (const path of ['/', '/metrics', '/readyz', '/api/health', '/api/auth/get-session', '/nowhere']) {
      for (const lines of [[...own, foreign], [foreign, ...own], own])
        assert.match(await ask(`GET ${path}`, lines), /^HTTP\/1\.1 400/, path)
      assert.match(await ask(`GET ${path}`, [LOCAL, 'X-Host: evil.example']), /^HTTP\/1\.1 (?!400)\d/, path)
    }
  })
})

describe('checklist 92: an address to continue at', () => {
  it('opens the page and is a path of ours, or refused', async ({ service, ann: { email, password } }) => {
    const visitor = stranger(service)
    const elsewhere = [
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e//evil.example',
      '/..//',
      '//[',
      '/\\evil.example',
    ]

    for (const next of elsewhere) {
      const query = new URLSearchParams({ next, return_to: next, to: next })
      for (const path of ['/sign-in', '/return', '/sign-up', '/']) {
        const page = await visitor.get(`${path}?${query}`)
        assert.deepEqual([page.status, page.headers.get('location')], [200, null], path)
      }
      const sent = { email, password, callbackURL: next }
      assertRefused(await visitor.post('/api/auth/sign-in/email', sent), 'INVALID_REQUEST')
    }
  })
})
