import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { describe, it } from 'vitest'
import { connected } from '../../test/processes/connected.ts'
import { type Reaction, startPeer } from '../../test/processes/peer-server.ts'

const path = '/api/list_notifications'
const MIB = 1024 * 1024

describe('request, to a server that sends too much', () => {
  it('stops reading after 256 MiB, and prints nothing', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, stream(Array(1_000).fill('a'.repeat(MIB))))

    const { code, out, err } = await terminal.run(['request', 'prod', 'POST', path])

    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^gatehouse: \S+ returned 200 with more than 256 MiB, which is not read\n$/)
  })

  it('prints a response of 100 MiB to its last byte', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, stream(Array(100).fill('a'.repeat(MIB))))

    const { code, out } = await terminal.run(['request', 'prod', 'POST', path])

    assert.equal(code, 0)
    assert.equal(out.length, 100 * MIB)
  })
})

describe('request, to a server that takes its time', () => {
  const slow: Readonly<Record<string, Reaction>> = {
    'never answers': 'hold',
    'sends a byte at a time': trickle,
  }
  for (const [what, reaction] of Object.entries(slow)) {
    it(`that ${what} waits for as long as --timeout says`, async () => {
      await using peer = await startPeer()
      await using terminal = await connected(peer)
      peer.next(path, reaction, reaction)

      const write = await terminal.run(['request', 'prod', 'POST', path, '--timeout', '1'])
      const read = await terminal.run(['request', 'prod', 'GET', path, '--timeout', '1'])

      assert.deepEqual([write.code, read.code], [1, 1])
      assert.match(write.err, /no response from \S+: timed out; it may have been carried out; check before/)
      assert.match(read.err, /no response from \S+: timed out\n$/)
    })
  }

  it('takes whole seconds for --timeout, and nothing else', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)

    for (const seconds of ['0', '-1', '1.5', '1e3', '10000', 'NaN', '']) {
      const { code, err } = await terminal.run(['request', 'prod', 'GET', path, `--timeout=${seconds}`])

      assert.equal(code, 2, seconds)
      assert.match(err, /--timeout is a number of seconds, from 1 to 9999/)
    }
  })
})

describe('request --paginate, of a list that does not end', () => {
  it('gives up after 256 MiB, and prints nothing', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const items = Array(100).fill('a'.repeat(MIB / 10))
    peer.next(path, ...Array(30).fill({ body: JSON.stringify({ items, total: 1e12 }) }))

    const { code, out, err } = await terminal.run(['request', 'prod', 'POST', path, '--paginate'])

    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^gatehouse: the list does not end/)
    assert.equal(peer.heardAt(path).length, 26)
  })

  for (const total of ['1e999', '-1', '1.5', '1e300']) {
    it(`does not believe a total of ${total}`, async () => {
      await using peer = await startPeer()
      await using terminal = await connected(peer)
      peer.next(path, { body: `{"items":[1],"total":${total}}` })

      const { code, err } = await terminal.run(['request', 'prod', 'POST', path, '--paginate'])

      assert.equal(code, 1)
      assert.match(err, /not a list of items with a total/)
    })
  }
})

function stream(chunks: readonly string[]) {
  return (_: IncomingMessage, response: ServerResponse) =>
    pipeline(Readable.from(chunks), response, () => undefined)
}

function trickle(_: IncomingMessage, response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 50)
  response.once('close', () => clearInterval(timer))
}
