import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'vitest'
import type { Reaction } from '../test/processes/peer-server.ts'
import { it, SCOPE } from '../test/service/command-line.ts'
import { EXIT } from './terminal/failure.ts'

const LIST = '/api/list_notifications'
const ESCAPE = '\u001b'

interface Case {
  readonly args: string | readonly string[]
  /** The server's reaction to the next request at each path. */
  readonly server?: Readonly<Record<string, Reaction>>
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

const UNAUTHORIZED = { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
const refusal = (status: number, code: string) => ({ status, body: { code, message: 'No.' } })
const POST = `request prod POST ${LIST}`
const posting = (...more: readonly string[]) => [...POST.split(' '), ...more]
const getting = (...more: readonly string[]) => ['request', 'prod', 'GET', ...more]
const connecting = (server: string) => ['connect', 'new', server, SCOPE]

const PATHS_ELSEWHERE = [
  ...['https://evil.example/', '//evil.example/', '/\\evil.example', '\\\\evil.example', 'https:evil'],
  ...['HTTP://x', 'javascript:x', '/api/ x', '/api\n/x', ''],
]
const OWN_HEADERS = [
  ...['Authorization: Bearer x', 'authorization:x', 'AUTHORIZATION : x', ' Authorization: x'],
  ...['authorization', 'Cookie: a=b', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
  ...['Connection: close', 'Expect: 100-continue'],
]
const SERVERS = [
  ...['http://example.com', 'ftp://example.com', 'ftp://127.0.0.1', 'http://127.0.0.1.example.com'],
  ...['javascript:alert(1)', 'http://', 'http://ann:secret@127.0.0.1', 'http://127.0.0.1:99999'],
]
const NAMES = ['../prod', '', '.', '.hidden', 'a/b', 'x'.repeat(65), 'prod\n', 'a\u0000b', `a${ESCAPE}[2Jb`]
const SCOPES = ['', 'api_access', `${SCOPE};x`, 'account:profile:admin', 'not a scope']

const CASES: Readonly<Record<0 | 1 | 2 | 3 | 4, readonly Case[]>> = {
  0: [
    { args: 'status' },
    { args: 'status prod' },
    { args: POST },
    { args: `request --name prod --method post --path ${LIST} --body {}` },
    { args: posting('--input', '-'), stdin: '{}' },
    { args: posting('--silent') },
    { args: 'scopes' },
    { args: 'completion bash' },
    { args: 'completion zsh' },
    { args: 'completion fish' },
  ],
  1: [
    { args: POST, server: { [LIST]: refusal(403, 'FORBIDDEN') } },
    { args: POST, server: { [LIST]: refusal(503, 'STORE_UNAVAILABLE') } },
    { args: POST, server: { [LIST]: 'drop' } },
    { args: posting('--silent'), server: { [LIST]: refusal(400, 'INVALID_REQUEST') } },
    { args: connecting('http://127.0.0.1:1') },
  ],
  2: [
    { args: [] },
    ...['dance', '__proto__', 'constructor', 'status --dance', 'status prod prod prod', 'disconnect'].map(asCase),
    ...['connect new', 'scopes --dance', 'completion', 'completion cmd.exe', 'completion tcsh'].map(asCase),
    ...['request prod', 'request prod POST', `request prod DANCE ${LIST}`].map(asCase),
    ...[...NAMES, 'a'.repeat(10_000)].map((name) => ({ args: ['status', name] })),
    ...NAMES.map((name) => ({ args: ['connect', name, 'https://example.com', SCOPE] })),
    ...SCOPES.map((scopes) => ({ args: ['connect', 'new', 'https://example.com', scopes] })),
    ...SERVERS.map((server) => ({ args: connecting(server) })),
    ...PATHS_ELSEWHERE.map((path) => ({ args: getting(path) })),
    ...[...OWN_HEADERS, 'no colon', 'X-Odd: a\r\nb: c'].map((header) => ({
      args: getting(LIST, '-H', header),
    })),
    { args: posting('{') },
    { args: posting('{"a":') },
    { args: posting('{}', '-f', 'a=b') },
    { args: posting('{}', '--input', '-') },
    { args: posting('{}', 'more') },
    { args: getting(LIST, '{}') },
    { args: posting('--input', '/nowhere/at/all') },
    { args: posting('--input', '/') },
    ...['no equals sign', 'a[=b'].map((field) => ({ args: posting('-f', field) })),
    ...['9007199254740993', '99999999999999999999'].map((id) => ({ args: posting('-F', `id=${id}`) })),
    { args: posting('-f', 'a=1', '-f', 'a[b]=1') },
    { args: posting('--jq', '.a[') },
    { args: posting('-i', '--paginate') },
    { args: posting('--nonsense') },
    { args: posting('--token-stdin'), stdin: '' },
    { args: POST, env: { GATEHOUSE_TOKEN: 'a b' } },
    { args: POST, env: { GATEHOUSE_TOKEN: 'x', GATEHOUSE_SERVER: 'no address' } },
  ],
  3: [
    ...['status nobody', 'disconnect nobody', 'mcp nobody', `request nobody POST ${LIST}`].map(asCase),
    { args: `request nobody POST ${LIST}`, env: { GATEHOUSE_TOKEN: 'x' } },
  ],
  4: [
    {
      args: POST,
      server: { [LIST]: UNAUTHORIZED, '/api/oauth/token': { status: 400, body: { error: 'invalid_grant' } } },
    },
    { args: POST, server: { [LIST]: UNAUTHORIZED }, env: { GATEHOUSE_TOKEN: 'ghs_ended' } },
  ],
}

function asCase(args: string): Case {
  return { args }
}

describe('the exit code of the command-line client', () => {
  const rows = Object.entries(CASES).flatMap(([code, cases]) =>
    cases.map((one) => ({ ...one, code: Number(code), shown: JSON.stringify(one.args).slice(0, 90) })),
  )
  it.for(rows)('is $code for $shown', async ({ code, args, server = {}, ...situation }, { peer, connected }) => {
    for (const [path, reaction] of Object.entries(server)) peer.next(path, reaction)
    const heard = peer.heard.length

    const ended = await connected.run(args, situation)

    assert.equal(ended.code, code, ended.err)
    // An error is one sentence for people, without a stack, an escape sequence or a password.
    if (code > 0 && Object.keys(server).length === 0) assert.match(ended.err, /^gatehouse: [\s\S]+\n$/)
    assert.doesNotMatch(ended.err, /^ {4}at |internal error|ann:secret/m)
    assert.ok(!ended.err.includes(ESCAPE))
    if (code === 2) assert.deepEqual([ended.out, peer.heard.length], ['', heard], 'nothing is sent')
  })

  it('is one of those that the documentation lists', async () => {
    const page = await readFile(new URL('../docs/client.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code))

    assert.deepEqual(listed, Object.values(EXIT))
  })
})
