import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { startPeer } from '../../test/processes/peer-server.ts'
import { assertEnded, it } from '../../test/service/command-line.ts'

const path = '/api/list_notifications'
const POST = `request prod POST ${path}`

describe('request --paginate', () => {
  it('walks a list to its end and prints one array', async ({ peer, connected }) => {
    const items = Array.from({ length: 250 }, (_, id) => ({ id }))
    const pages = [0, 100, 200].map((from) => ({
      body: { items: items.slice(from, from + 100), total: 250 },
    }))
    peer.next(path, ...pages)

    const { code, out } = await connected.run(`${POST} {"read":false} --paginate`)

    assert.deepEqual([code, JSON.parse(out)], [0, items])
    assert.deepEqual(
      peer.heardAt(path).map(({ body }) => JSON.parse(body)),
      [1, 2, 3].map((page) => ({ page_size: 100, read: false, page })),
    )
  })

  it('shows an item once, even if a new one pushed it to the next page', async ({ peer, connected }) => {
    const [one, two, three] = [{ id: '1' }, { id: '2' }, { id: '3' }]
    peer.next(path, { body: { items: [one, two], total: 3 } }, { body: { items: [two, three], total: 4 } })

    const { out } = await connected.run(`${POST} --paginate`)

    assert.deepEqual(JSON.parse(out), [one, two, three])
  })

  it('keeps a given page size, pages a GET by its query, filters the whole', async ({ peer, connected }) => {
    peer.next('/api/x?page_size=2&page=1', { body: { items: [1, 2], total: 3 } })
    peer.next('/api/x?page_size=2&page=2', { body: { items: [3], total: 3 } })

    const { out } = await connected.run('request prod GET /api/x -F page_size=2 --paginate --jq add')

    assert.equal(out, '6\n')
  })

  it('never presents half a list, or what is not a list, as a complete one', async ({ peer, connected }) => {
    peer.next(path, { body: { items: [1], total: 2 } }, { status: 503, body: { code: 'STORE_UNAVAILABLE' } })

    const half = await connected.run(`${POST} --paginate`)
    const other = await connected.run(`${POST} --paginate`)

    assert.deepEqual([half.code, JSON.parse(half.out).code], [1, 'STORE_UNAVAILABLE'])
    assert.deepEqual([other.code, other.out], [1, ''])
    assert.match(other.err, /not a list/)
  })
})

describe('GATEHOUSE_TOKEN', () => {
  it('replaces the connection, and GATEHOUSE_SERVER its server', async ({ peer, connected }) => {
    await connected.run(`connect second ${peer.url} account:profile:read`)
    const env = { GATEHOUSE_TOKEN: 'access-2' }

    const named = await connected.run(POST, { env })
    assert.equal(peer.heard.at(-1)?.headers.authorization, 'Bearer access-2')
    const placed = await connected.run(`request ci POST ${path}`, {
      env: { ...env, GATEHOUSE_SERVER: peer.url },
    })
    const nowhere = await connected.run(`request ci POST ${path}`, { env })

    assert.deepEqual([named.code, placed.code, nowhere.code], [0, 0, 3])
  })

  it('is never sent to a server that it was not meant for', async ({ connected }) => {
    await using other = await startPeer()
    const env = { GATEHOUSE_TOKEN: 'x', GATEHOUSE_SERVER: other.url }

    assert.deepEqual([(await connected.run(POST, { env })).code, other.heard], [2, []])
  })

  it('that is refused ends with 4 and removes no connection', async ({ connected }) => {
    assert.equal((await connected.run(POST, { env: { GATEHOUSE_TOKEN: 'x' } })).code, 4)
    assert.equal((await connected.run(POST)).code, 0)
  })

  it('can come on standard input, but not beside a body or a field', async ({ connected }) => {
    assert.equal((await connected.run(`${POST} --token-stdin`, { stdin: 'access-1\n' })).code, 0)
    for (const flags of ['--input -', '-F content=@-']) {
      const ended = await connected.run(`${POST} --token-stdin ${flags}`, { stdin: 'access-1' })
      assertEnded(ended, 2, /standard input can be either the token or the body/)
    }
  })
})
