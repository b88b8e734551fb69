import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type PeerServer, type Reaction, startPeer } from '../test/processes/peer-server.ts'
import { openTerminal, type Terminal } from '../test/processes/terminal/terminal.ts'
import { EXIT } from './terminal/failure.ts'

const LIST = '/api/list_notifications'
const SCOPE = 'operations:notifications:read'
const ESCAPE = '\u001b'
const LONG = 'a'.repeat(10_000)

interface Case {
  readonly args: readonly string[]
  /** What the server does to the next request at each path. */
  readonly server?: Readonly<Record<string, Reaction>>
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

const UNAUTHORIZED = { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
const refusal = (status: number, code: string) => ({ status, body: { code, message: 'No.' } })

const CASES: Readonly<Record<0 | 1 | 2 | 3 | 4, readonly Case[]>> = {
  0: [
    { args: ['status'] },
    { args: ['status', 'prod'] },
    { args: ['request', 'prod', 'POST', LIST] },
    { args: ['request', '--name', 'prod', '--method', 'post', '--path', LIST, '--body', '{}'] },
    { args: ['request', 'prod', 'POST', LIST, '--input', '-'], stdin: '{}' },
    { args: ['request', 'prod', 'POST', LIST, '--silent'] },
    { args: ['scopes'] },
    { args: ['completion', 'bash'] },
  ],
  1: [
    { args: ['request', 'prod', 'POST', LIST], server: { [LIST]: refusal(403, 'FORBIDDEN') } },
    { args: ['request', 'prod', 'POST', LIST], server: { [LIST]: refusal(503, 'STORE_UNAVAILABLE') } },
    { args: ['request', 'prod', 'POST', LIST], server: { [LIST]: 'drop' } },
    {
      args: ['request', 'prod', 'POST', LIST, '--silent'],
      server: { [LIST]: refusal(400, 'INVALID_REQUEST') },
    },
    { args: ['connect', 'new', 'http://127.0.0.1:1', SCOPE] },
  ],
  2: [
    { args: [] },
    { args: ['dance'] },
    { args: ['__proto__'] },
    { args: ['constructor'] },
    { args: ['status', '--dance'] },
    { args: ['status', 'prod', 'prod', 'prod'] },
    { args: ['status', ''] },
    { args: ['status', '../prod'] },
    { args: ['status', '.'] },
    { args: ['status', 'a\u0000b'] },
    { args: ['status', `a${ESCAPE}[2Jb`] },
    { args: ['status', LONG] },
    { args: ['disconnect'] },
    { args: ['connect', 'new'] },
    { args: ['connect', 'new', 'ftp://127.0.0.1', SCOPE] },
    { args: ['connect', 'new', 'http://', SCOPE] },
    { args: ['connect', 'new', 'http://ann:secret@127.0.0.1', SCOPE] },
    { args: ['connect', 'new', 'http://127.0.0.1:99999', SCOPE] },
    { args: ['connect', 'new', 'http://127.0.0.1:1', 'not a scope'] },
    { args: ['request', 'prod'] },
    { args: ['request', 'prod', 'DANCE', LIST] },
    { args: ['request', 'prod', 'POST', 'https://evil.example/'] },
    { args: ['request', 'prod', 'POST', '//evil.example/'] },
    { args: ['request', 'prod', 'POST', '/\\evil.example/'] },
    { args: ['request', 'prod', 'POST', '/api/a\nb'] },
    { args: ['request', 'prod', 'POST', LIST, '{'] },
    { args: ['request', 'prod', 'POST', LIST, '{}', '--input', '-'] },
    { args: ['request', 'prod', 'POST', LIST, '--input', '/nowhere/at/all'] },
    { args: ['request', 'prod', 'POST', LIST, '--input', '/'] },
    { args: ['request', 'prod', 'POST', LIST, '-f', 'no equals sign'] },
    { args: ['request', 'prod', 'POST', LIST, '-f', 'a[=b'] },
    { args: ['request', 'prod', 'POST', LIST, '-F', 'id=99999999999999999999'] },
    { args: ['request', 'prod', 'POST', LIST, '-f', 'a=1', '-f', 'a[b]=1'] },
    { args: ['request', 'prod', 'POST', LIST, '-H', 'Authorization: Bearer x'] },
    { args: ['request', 'prod', 'POST', LIST, '-H', 'aUTHORIZATION : x'] },
    { args: ['request', 'prod', 'POST', LIST, '-H', 'no colon'] },
    { args: ['request', 'prod', 'POST', LIST, '-H', 'X-Odd: a\r\nb: c'] },
    { args: ['request', 'prod', 'POST', LIST, '--jq', '.['] },
    { args: ['request', 'prod', 'GET', LIST, '{}'] },
    { args: ['request', 'prod', 'POST', LIST, '-i', '--paginate'] },
    { args: ['request', 'prod', 'POST', LIST, '--token-stdin'], stdin: '' },
    { args: ['request', 'prod', 'POST', LIST], env: { GATEHOUSE_TOKEN: 'a b' } },
    {
      args: ['request', 'prod', 'POST', LIST],
      env: { GATEHOUSE_TOKEN: 'x', GATEHOUSE_SERVER: 'no address' },
    },
    { args: ['scopes', '--dance'] },
    { args: ['completion', 'cmd.exe'] },
  ],
  3: [
    { args: ['status', 'nobody'] },
    { args: ['disconnect', 'nobody'] },
    { args: ['request', 'nobody', 'POST', LIST] },
    { args: ['request', 'nobody', 'POST', LIST], env: { GATEHOUSE_TOKEN: 'x' } },
  ],
  4: [
    {
      args: ['request', 'prod', 'POST', LIST],
      server: {
        [LIST]: UNAUTHORIZED,
        '/api/oauth/token': { status: 400, body: { error: 'invalid_grant' } },
      },
    },
    {
      args: ['request', 'prod', 'POST', LIST],
      server: { [LIST]: UNAUTHORIZED },
      env: { GATEHOUSE_TOKEN: 'ghs_ended' },
    },
  ],
}

describe('the exit code of the command-line client', () => {
  let peer: PeerServer
  let terminal: Terminal
  beforeAll(async () => {
    peer = await startPeer()
    terminal = await openTerminal()
  })
  afterAll(async () => {
    await terminal[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })

  for (const [code, cases] of Object.entries(CASES)) {
    for (const { args, server = {}, ...situation } of cases) {
      const shown = JSON.stringify([...args, situation.env ?? {}]).slice(0, 90)
      it(`is ${code} for ${shown}`, async () => {
        await terminal.run(['connect', 'prod', peer.url, SCOPE, '--force'])
        for (const [path, reaction] of Object.entries(server)) peer.next(path, reaction)

        const ended = await terminal.run(args, situation)

        assert.equal(ended.code, Number(code), ended.err)
        // What went wrong is one sentence for people, without a stack, an escape sequence or a password.
        if (ended.code > 0 && Object.keys(server).length === 0)
          assert.match(ended.err, /^gatehouse: [\s\S]+\n$/)
        assert.doesNotMatch(ended.err, /^ {4}at |internal error|ann:secret/m)
        assert.ok(!ended.err.includes(ESCAPE))
      })
    }
  }

  it('is one of those that the documentation lists', async () => {
    const page = await readFile(new URL('../docs/client.md', import.meta.url), 'utf8')

    const listed = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code))

    assert.deepEqual(listed, Object.values(EXIT))
  })
})
