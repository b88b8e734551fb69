import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { connected, scope } from '../../test/processes/connected.ts'
import { startPeer } from '../../test/processes/peer-server.ts'

const path = '/api/list_notifications'

describe('request', () => {
  it('sends the body with the token and writes the answer byte for byte into a pipe', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, { body: '{"items":  [],"total":0}\n\n' })

    const { code, out, err } = await terminal.run(['request', 'prod', 'post', path, '{"page":1}'])

    assert.deepEqual({ code, out, err }, { code: 0, out: '{"items":  [],"total":0}\n\n', err: '' })
    const heard = peer.heardAt(path)[0]
    assert.equal(heard?.method, 'POST')
    assert.equal(heard?.body, '{"page":1}')
    assert.equal(heard?.headers['content-type'], 'application/json')
    assert.equal(heard?.headers.authorization, 'Bearer access-1')
  })

  it('formats for a terminal, without characters that control one', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, { body: '{"a":{"b":"\\u001b[2J\u009b1m\u202e"}}' }, { body: 'plain \u001b[2Jtext\n' })

    const json = await terminal.run(['request', 'prod', 'GET', path], { isTTY: true })
    const plain = await terminal.run(['request', 'prod', 'GET', path], { isTTY: true })

    assert.equal(json.out, '{\n  "a": {\n    "b": "\\u001b[2J\\u009b1m\\u202e"\n  }\n}\n')
    assert.equal(plain.out, 'plain [2Jtext\n\n')
  })

  it('takes relative paths only', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const heard = peer.heard.length

    for (const odd of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '\\\\evil.example',
      'https:evil',
      'HTTP://x',
      'javascript:x',
      '/api/ x',
      '/api\n/x',
      '',
    ]) {
      const { code } = await terminal.run(['request', 'prod', 'GET', odd])
      assert.equal(code, 2, odd)
    }
    assert.equal(peer.heard.length, heard)
    assert.equal((await terminal.run(['request', 'prod', 'GET', 'api/x'])).code, 0)
    assert.equal(peer.heard.at(-1)?.path, '/api/x')
  })

  it('refuses an Authorization header from the caller, however it is written', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)

    for (const header of [
      'Authorization: Bearer x',
      'authorization:x',
      'AUTHORIZATION : x',
      ' Authorization: x',
      'authorization',
      'Cookie: a=b',
    ]) {
      const { code, err } = await terminal.run(['request', 'prod', 'GET', path, '-H', header])
      assert.equal(code, 2, header)
      assert.match(err, /sets .* itself/)
    }
    await terminal.run(['request', 'prod', 'GET', path, '-H', 'X-Trace: 1', '--header', 'Accept: text/plain'])
    assert.equal(peer.heard.at(-1)?.headers['x-trace'], '1')
    assert.equal(peer.heard.at(-1)?.headers.accept, 'text/plain')
  })

  it('refuses contradictions and broken JSON before anything is sent', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const heard = peer.heard.length

    for (const odd of [
      ['POST', path, '{"a":'],
      ['POST', path, '{}', '-f', 'a=b'],
      ['POST', path, '{}', '--input', '-'],
      ['POST', path, '{}', 'more'],
      ['GET', path, '{}'],
      ['FETCH', path],
      ['POST'],
      ['POST', path, '-f', 'nothing'],
      ['POST', path, '-f', 'a[=b'],
      ['POST', path, '-F', 'n=9007199254740993'],
      ['POST', path, '-f', 'a=1', '-f', 'a[b]=2'],
      ['POST', path, '--paginate', '-i'],
      ['POST', path, '--jq', '.a['],
      ['POST', path, '--nonsense'],
    ]) {
      const { code, out } = await terminal.run(['request', 'prod', ...odd])
      assert.deepEqual([code, out], [2, ''], odd.join(' '))
    }
    assert.equal(peer.heard.length, heard)
  })

  it('ends with 1 if the server refuses: the body on standard output, the reason on standard error', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, {
      status: 403,
      body: { code: 'FORBIDDEN', message: 'Only the administrator can do this.' },
    })

    const { code, out, err } = await terminal.run(['request', 'prod', 'POST', path, '--jq', '.items'])

    assert.equal(code, 1)
    assert.equal(JSON.parse(out).code, 'FORBIDDEN')
    assert.match(err, /POST \/api\/list_notifications returned 403 FORBIDDEN Only the administrator/)
  })

  it('says which scope is missing and how to get it', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const challenge = 'Bearer error="insufficient_scope", scope="admin:users:read"'
    peer.next(path, {
      status: 403,
      headers: { 'www-authenticate': challenge },
      body: { code: 'INSUFFICIENT_SCOPE' },
    })

    const { code, err } = await terminal.run(['request', 'prod', 'POST', path])

    assert.equal(code, 1)
    assert.match(err, /connect "prod" again with the scope admin:users:read and --force/)
  })

  it('checklist 78: suggests no command with a scope that a server made up', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const challenge = 'Bearer error="insufficient_scope", scope="$(touch /tmp/x)"'
    peer.next(path, { status: 403, headers: { 'www-authenticate': challenge }, body: { code: 'FORBIDDEN' } })

    const { err } = await terminal.run(['request', 'prod', 'POST', path])

    assert.doesNotMatch(err, /touch/)
  })

  it('-i shows status and headers, --silent no body', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(
      path,
      { status: 201, headers: { 'x-request-id': 'r1' }, body: '{"id":"1"}' },
      { body: '{"id":"2"}' },
    )

    const included = await terminal.run(['request', 'prod', 'POST', path, '-i'])
    const silent = await terminal.run(['request', 'prod', 'POST', path, '--silent'])

    assert.match(included.out, /^HTTP\/1\.1 201 Created\n(.*\n)*x-request-id: r1\n(.*\n)*\n\{"id":"1"\}$/)
    assert.deepEqual([silent.code, silent.out], [0, ''])
  })

  it('--verbose shows heads on standard error with every secret masked', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const headers = { 'set-cookie': 'session=sesame', 'set-auth-token': 'sesame', 'x-plain': 'seen' }
    peer.next('/api/x?otp=sesame&page=2', { headers, body: { password: 'sesame' } })

    const { err } = await terminal.run([
      'request',
      'prod',
      'GET',
      '/api/x?otp=sesame&page=2',
      '--verbose',
      '-H',
      'X-Api-Key: sesame',
    ])

    assert.match(err, /> GET .*page=2/)
    assert.match(err, /> authorization: Bearer \*\*\*/)
    assert.match(err, /< x-plain: seen/)
    assert.doesNotMatch(err, /sesame|access-1/)
  })

  it('--jq filters with the real jq: text without quotes, the rest compact in a pipe', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const body = {
      items: [
        { id: 1, title: 'A "b"' },
        { id: 2, title: 'C' },
      ],
    }
    peer.next(path, { body }, { body }, { body })

    const titles = await terminal.run(['request', 'prod', 'POST', path, '--jq', '.items[].title'])
    const objects = await terminal.run([
      'request',
      'prod',
      'POST',
      path,
      '-q',
      '.items[] | {id, n: (.title|length)}',
    ])
    const wrong = await terminal.run(['request', 'prod', 'POST', path, '-q', '.items.title'])

    assert.equal(titles.out, 'A "b"\nC\n')
    assert.equal(objects.out, '{"id":1,"n":5}\n{"id":2,"n":1}\n')
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /--jq: .*Cannot index array/)
  })

  it('keeps the bookmark of each connection apart', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    await terminal.run(['connect', 'other', peer.url, scope])
    peer.next(path, { headers: { 'x-db-meta-bookmark': 'mark-1' }, body: {} })

    await terminal.run(['request', 'prod', 'POST', path])
    await terminal.run(['request', 'other', 'POST', path])
    await terminal.run(['request', 'prod', 'POST', path])

    assert.deepEqual(
      peer.heardAt(path).map(({ headers }) => headers['x-db-meta-bookmark']),
      [undefined, undefined, 'mark-1'],
    )
  })
})
