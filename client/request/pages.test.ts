import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { connected, scope } from '../../test/processes/connected.ts'
import { startPeer } from '../../test/processes/peer-server.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'

const path = '/api/list_notifications'

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

  it('shows an item once, even if a new one pushed it to the next page', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const [one, two, three] = [{ id: '1' }, { id: '2' }, { id: '3' }]
    peer.next(path, { body: { items: [one, two], total: 3 } }, { body: { items: [two, three], total: 4 } })

    const { out } = await terminal.run(['request', 'prod', 'POST', path, '--paginate'])

    assert.deepEqual(JSON.parse(out), [one, two, three])
  })

  it('keeps a page size that the caller gave, pages a GET by its query, and filters the whole array', async () => {
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

  it('never presents half a list as a complete one', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, { body: { items: [1], total: 2 } }, { status: 503, body: { code: 'STORE_UNAVAILABLE' } })

    const { code, out } = await terminal.run(['request', 'prod', 'POST', path, '--paginate'])

    assert.equal(code, 1)
    assert.equal(JSON.parse(out).code, 'STORE_UNAVAILABLE')
  })

  it('reports a response that is not a list', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)

    const { code, out, err } = await terminal.run(['request', 'prod', 'POST', path, '--paginate'])

    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /not a list/)
  })
})

describe('GATEHOUSE_TOKEN', () => {
  it('replaces the connection, and GATEHOUSE_SERVER its server', async () => {
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

  it('cannot come on standard input beside a body or a field', async () => {
    await using terminal = await openTerminal()
    for (const flags of [
      ['--input', '-'],
      ['-F', 'content=@-'],
    ]) {
      const args = ['request', 'prod', 'POST', path, '--token-stdin', ...flags]
      const { code, err } = await terminal.run(args, { stdin: 'access-1' })

      assert.equal(code, 2)
      assert.match(err, /standard input can be either the token or the body/)
    }
  })
})
