import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it, SCOPE } from '../../test/service/command-line.ts'

const path = '/api/list_notifications'
const POST = `request prod POST ${path}`

describe('request', () => {
  it('sends body and token, and writes the answer byte for byte into a pipe', async ({ peer, connected }) => {
    peer.next(path, { body: '{"items":  [],"total":0}\n\n' })

    const ended = await connected.run(`request prod post ${path} {"page":1}`)

    assert.deepEqual(ended, { code: 0, out: '{"items":  [],"total":0}\n\n', err: '' })
    const { method, body, headers } = peer.heardAt(path)[0] ?? assert.fail()
    assert.deepEqual([method, body], ['POST', '{"page":1}'])
    assert.deepEqual([headers['content-type'], headers.authorization], ['application/json', 'Bearer access-1'])
  })

  it('formats for a terminal, without characters that control one', async ({ peer, connected }) => {
    peer.next(path, { body: '{"a":{"b":"\\u001b[2J\u009b1m\u202e"}}' }, { body: 'plain \u001b[2Jtext\n' })

    const json = await connected.run(`request prod GET ${path}`, { isTTY: true })
    const plain = await connected.run(`request prod GET ${path}`, { isTTY: true })

    assert.equal(json.out, '{\n  "a": {\n    "b": "\\u001b[2J\\u009b1m\\u202e"\n  }\n}\n')
    assert.equal(plain.out, 'plain [2Jtext\n\n')
  })

  it('takes a path without its first slash, and headers except its own', async ({ peer, connected }) => {
    const header = ['-H', 'X-Trace: 1', '--header', 'Accept: text/plain']
    const { code } = await connected.run(['request', 'prod', 'GET', 'api/x', ...header])
    const refused = await connected.run(['request', 'prod', 'GET', path, '-H', 'Cookie: a=b'])

    const heard = peer.heard.at(-1)
    assert.deepEqual(
      [code, heard?.path, heard?.headers['x-trace'], heard?.headers.accept],
      [0, '/api/x', '1', 'text/plain'],
    )
    assert.match(refused.err, /sets .* itself/)
  })

  it('ends with 1 if refused: the body on stdout, the reason on stderr', async ({ peer, connected }) => {
    const body = { code: 'FORBIDDEN', message: 'Only the administrator can do this.' }
    peer.next(path, { status: 403, body })

    const { code, out, err } = await connected.run(`${POST} --jq .items`)

    assert.deepEqual([code, JSON.parse(out).code], [1, 'FORBIDDEN'])
    assert.match(err, /POST \/api\/list_notifications returned 403 FORBIDDEN Only the administrator/)
  })

  it('checklist 78: suggests no command with a scope that a server made up, but says which one is missing', async ({
    peer,
    connected,
  }) => {
    const lacking = (scope: string) => ({
      status: 403,
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      body: { code: 'INSUFFICIENT_SCOPE' },
    })
    peer.next(path, lacking('admin:users:read'), lacking('$(touch /tmp/x)'))

    const honest = await connected.run(POST)
    const made = await connected.run(POST)

    assert.deepEqual([honest.code, made.code], [1, 1])
    assert.match(honest.err, /connect "prod" again with the scope admin:users:read and --force/)
    assert.doesNotMatch(made.err, /touch/)
  })

  it('-i shows status and headers, --silent no body', async ({ peer, connected }) => {
    const created = { status: 201, headers: { 'x-request-id': 'r1' }, body: '{"id":"1"}' }
    peer.next(path, created, { body: '{"id":"2"}' })

    const included = await connected.run(`${POST} -i`)
    const silent = await connected.run(`${POST} --silent`)

    assert.match(included.out, /^HTTP\/1\.1 201 Created\n(.*\n)*x-request-id: r1\n(.*\n)*\n\{"id":"1"\}$/)
    assert.deepEqual([silent.code, silent.out], [0, ''])
  })

  it('--verbose shows heads on standard error with every secret masked', async ({ peer, connected }) => {
    const at = '/api/x?otp=sesame&page=2'
    const headers = { 'set-cookie': 'session=sesame', 'set-auth-token': 'sesame', 'x-plain': 'seen' }
    peer.next(at, { headers, body: { password: 'sesame' } })

    const { err } = await connected.run(['request', 'prod', 'GET', at, '--verbose', '-H', 'X-Api-Key: sesame'])

    for (const shown of [/> GET .*page=2/, /> authorization: Bearer \*\*\*/, /< x-plain: seen/])
      assert.match(err, shown)
    assert.doesNotMatch(err, /sesame|access-1/)
  })

  it('--jq filters with the real jq: text without quotes, the rest compact', async ({ peer, connected }) => {
    const titled = (id: number, title: string) => ({ id, title })
    const body = { items: [titled(1, 'A "b"'), titled(2, 'C')] }
    peer.next(path, { body }, { body }, { body })

    const titles = await connected.run(`${POST} --jq .items[].title`)
    const objects = await connected.run([...POST.split(' '), '-q', '.items[] | {id, n: (.title|length)}'])
    const wrong = await connected.run(`${POST} -q .items.title`)

    assert.deepEqual([titles.out, objects.out], ['A "b"\nC\n', '{"id":1,"n":5}\n{"id":2,"n":1}\n'])
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /--jq: .*Cannot index array/)
  })

  it('keeps the bookmark of each connection apart', async ({ peer, connected }) => {
    await connected.run(`connect other ${peer.url} ${SCOPE}`)
    peer.next(path, { headers: { 'x-db-meta-bookmark': 'mark-1' }, body: {} })

    for (const name of ['prod', 'other', 'prod']) await connected.run(`request ${name} POST ${path}`)

    assert.deepEqual(
      peer.heardAt(path).map(({ headers }) => headers['x-db-meta-bookmark']),
      [undefined, undefined, 'mark-1'],
    )
  })
})
