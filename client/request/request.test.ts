import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type PeerServer, startPeer } from '../../test/processes/peer-server.ts'
import { runProgram } from '../../test/processes/program.ts'
import { openTerminal, type Terminal } from '../../test/processes/terminal.ts'

const scope = 'account:profile:read'
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

  it('prints pretty on a terminal, with nothing in it that a terminal would obey', async () => {
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

  it('builds the body of typed and text fields, nested and repeated', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const file = join(terminal.folder, 'text.txt')
    await writeFile(file, 'from a file\n')

    await terminal.run(
      [
        'request',
        'prod',
        'POST',
        path,
        '-f',
        'id=42',
        '-F',
        'page=42',
        '-F',
        'read=false',
        '-F',
        'target=null',
        '-F',
        'rate=1.5',
        '-F',
        `text=@${file}`,
        '-F',
        'piped=@-',
        '-f',
        'list[]=a',
        '-F',
        'list[]=2',
        '-f',
        'a[b][c]=d',
        '-f',
        '__proto__=x',
        '-f',
        'empty=',
        '-f',
        'eq=a=b',
      ],
      { stdin: 'from a pipe' },
    )

    assert.deepEqual(
      peer.heard.at(-1)?.body,
      '{"id":"42","page":42,"read":false,"target":null,"rate":1.5,"text":"from a file\\n","piped":"from a pipe",' +
        '"list":["a",2],"a":{"b":{"c":"d"}},"__proto__":"x","empty":"","eq":"a=b"}',
    )
  })

  it('puts the fields of a GET into the query', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)

    await terminal.run(['request', 'prod', 'GET', '/api/x?a=1', '-f', 'b=c d', '-F', 'n=2'])

    assert.equal(peer.heard.at(-1)?.path, '/api/x?a=1&b=c+d&n=2')
  })

  it('takes the body from a file or from standard input', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const file = join(terminal.folder, 'body.json')
    await writeFile(file, '{"from":"file"}')

    await terminal.run(['request', 'prod', 'POST', path, '--input', file])
    assert.equal(peer.heard.at(-1)?.body, '{"from":"file"}')
    await terminal.run(['request', 'prod', 'POST', path, '--input', '-'], { stdin: '{"from":"pipe"}' })
    assert.equal(peer.heard.at(-1)?.body, '{"from":"pipe"}')
    await terminal.run(['request', 'prod', 'POST', path])
    assert.equal(peer.heard.at(-1)?.body, '{}')
    assert.equal((await terminal.run(['request', 'prod', 'POST', path, '--input', `${file}.none`])).code, 2)
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
      body: { code: 'FORBIDDEN', message: 'Only the administrator may do this.' },
    })

    const { code, out, err } = await terminal.run(['request', 'prod', 'POST', path, '--jq', '.items'])

    assert.equal(code, 1)
    assert.equal(JSON.parse(out).code, 'FORBIDDEN')
    assert.match(err, /POST \/api\/list_notifications answered 403 FORBIDDEN Only the administrator/)
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

  it('checklist 78: suggests no command with what a server makes up as a scope', async () => {
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

describe('request --paginate', () => {
  it('walks a list to its end and prints one array', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const items = Array.from({ length: 250 }, (_, id) => ({ id }))
    peer.next(
      path,
      ...[0, 100, 200].map((from) => ({ body: { items: items.slice(from, from + 100), total: 250 } })),
    )

    const { code, out } = await terminal.run([
      'request',
      'prod',
      'POST',
      path,
      '{"read":false}',
      '--paginate',
    ])

    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(out), items)
    assert.deepEqual(
      peer.heardAt(path).map(({ body }) => JSON.parse(body)),
      [1, 2, 3].map((page) => ({ page_size: 100, read: false, page })),
    )
  })

  it('shows an item once that a new one pushed to the next page', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const [one, two, three] = [{ id: '1' }, { id: '2' }, { id: '3' }]
    peer.next(path, { body: { items: [one, two], total: 3 } }, { body: { items: [two, three], total: 4 } })

    const { out } = await terminal.run(['request', 'prod', 'POST', path, '--paginate'])

    assert.deepEqual(JSON.parse(out), [one, two, three])
  })

  it('keeps a page size that was asked for, pages a GET by its query, and filters the whole array', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next('/api/x?page_size=2&page=1', { body: { items: [1, 2], total: 3 } })
    peer.next('/api/x?page_size=2&page=2', { body: { items: [3], total: 3 } })

    const { out } = await terminal.run([
      'request',
      'prod',
      'GET',
      '/api/x',
      '-F',
      'page_size=2',
      '--paginate',
      '--jq',
      'add',
    ])

    assert.equal(out, '6\n')
  })

  it('never passes off half a list as a whole one', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, { body: { items: [1], total: 2 } }, { status: 503, body: { code: 'STORE_UNAVAILABLE' } })

    const { code, out } = await terminal.run(['request', 'prod', 'POST', path, '--paginate'])

    assert.equal(code, 1)
    assert.equal(JSON.parse(out).code, 'STORE_UNAVAILABLE')
  })

  it('says so if the answer is not a list', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)

    const { code, out, err } = await terminal.run(['request', 'prod', 'POST', path, '--paginate'])

    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /not a list/)
  })
})

describe('request and the way', () => {
  it('never follows a redirect to another origin', async () => {
    await using peer = await startPeer()
    await using other = await startPeer()
    await using terminal = await connected(peer)
    for (const status of [301, 302, 303, 307, 308]) {
      peer.next(path, { status, headers: { location: `${other.url}/steal` }, body: '' })

      const { code, err } = await terminal.run(['request', 'prod', 'GET', path])

      assert.equal(code, 1)
      assert.match(err, /not followed: redirect to/)
    }
    assert.deepEqual(other.heard, [])
  })

  it('follows a read on the same server, and never repeats a write', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next('/api/old', ...Array(2).fill({ status: 307, headers: { location: '/api/new' }, body: '' }))

    const read = await terminal.run(['request', 'prod', 'GET', '/api/old'])
    const write = await terminal.run(['request', 'prod', 'POST', '/api/old'])

    assert.deepEqual([read.code, write.code], [0, 1])
    assert.equal(peer.heardAt('/api/new').length, 1)
  })

  it('sends a write once, and says that it may have been done, if the answer is lost', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, 'drop')

    const { code, err } = await terminal.run(['request', 'prod', 'POST', path])

    assert.equal(code, 1)
    assert.match(err, /it may have been carried out; check before retrying/)
    assert.equal(peer.heardAt(path).length, 1)
  })

  it('says nothing of the kind if the server was not reached', async () => {
    await using terminal = await openTerminal()
    const peer = await startPeer()
    await terminal.run(['connect', 'prod', peer.url, scope])
    await peer[Symbol.asyncDispose]()

    const env = { GATEHOUSE_CONFIG_DIR: terminal.folder }
    const { code, err } = await runProgram(['request', 'prod', 'POST', path], env)

    assert.equal(code, 1)
    assert.match(err, /no answer from .*: ECONNREFUSED; the connection "prod" is kept\n$/)
  })

  it('does not repeat a write after a 5xx either', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, { status: 502, body: 'bad gateway' })

    assert.equal((await terminal.run(['request', 'prod', 'POST', path])).code, 1)
    assert.equal(peer.heardAt(path).length, 1)
  })
})

describe('GATEHOUSE_TOKEN', () => {
  it('stands in for the connection, and GATEHOUSE_SERVER for its server', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    await terminal.run(['connect', 'second', peer.url, scope])
    const GATEHOUSE_TOKEN = 'access-2'

    const named = await terminal.run(['request', 'prod', 'POST', path], { env: { GATEHOUSE_TOKEN } })
    assert.equal(peer.heard.at(-1)?.headers.authorization, 'Bearer access-2')
    const placed = await terminal.run(['request', 'ci', 'POST', path], {
      env: { GATEHOUSE_TOKEN, GATEHOUSE_SERVER: peer.url },
    })
    const nowhere = await terminal.run(['request', 'ci', 'POST', path], { env: { GATEHOUSE_TOKEN } })

    assert.deepEqual([named.code, placed.code, nowhere.code], [0, 0, 3])
  })

  it('is never sent to a server that it was not meant for', async () => {
    await using peer = await startPeer()
    await using other = await startPeer()
    await using terminal = await connected(peer)
    const env = { GATEHOUSE_TOKEN: 'x', GATEHOUSE_SERVER: other.url }

    assert.equal((await terminal.run(['request', 'prod', 'POST', path], { env })).code, 2)
    assert.deepEqual(other.heard, [])
  })

  it('that is refused ends with 4 and removes no connection', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)

    const refused = await terminal.run(['request', 'prod', 'POST', path], { env: { GATEHOUSE_TOKEN: 'x' } })

    assert.equal(refused.code, 4)
    assert.equal((await terminal.run(['request', 'prod', 'POST', path])).code, 0)
  })

  it('can come on standard input', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)

    const { code } = await terminal.run(['request', 'prod', 'POST', path, '--token-stdin'], {
      stdin: 'access-1\n',
    })

    assert.equal(code, 0)
    assert.equal((await terminal.run(['request', 'prod', 'POST', path, '--token-stdin'])).code, 2)
  })
})

async function connected(peer: PeerServer): Promise<Terminal> {
  const terminal = await openTerminal()
  const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])
  assert.equal(code, 0, err)
  return terminal
}
