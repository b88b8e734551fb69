import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { describe } from 'vitest'
import { assertEnded, it } from '../../test/service/command-line.ts'

const path = '/api/list_notifications'
const MIB = 1024 * 1024

describe('request, to a server that sends too much', () => {
  it('stops reading after 256 MiB, and prints nothing', async ({ peer, connected }) => {
    peer.next(path, mebibytes(1_000))

    const { code, out, err } = await connected.run(`request prod POST ${path}`)

    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^gatehouse: \S+ returned 200 with more than 256 MiB, which is not read\n$/)
  })

  it('prints a response of 100 MiB to its last byte', async ({ peer, connected }) => {
    peer.next(path, mebibytes(100))

    const { code, out } = await connected.run(`request prod POST ${path}`)

    assert.deepEqual([code, out.length], [0, 100 * MIB])
  })
})

it('a request to a silent or a slow server waits for as long as --timeout says', async ({ peer, connected }) => {
  peer.next('/api/never', 'hold', 'hold')
  peer.next('/api/slowly', trickle, trickle)

  const requests = ['POST /api/never', 'POST /api/slowly', 'GET /api/never', 'GET /api/slowly']
  const ended = await Promise.all(requests.map((request) => connected.run(`request prod ${request} --timeout 1`)))

  for (const [i, { code, err }] of ended.entries()) {
    const words = i < 2 ? '; it may have been carried out; check before' : '\n$'
    assert.equal(code, 1)
    assert.match(err, new RegExp(`no response from \\S+: timed out${words}`))
  }
})

it('--timeout takes whole seconds, and nothing else', async ({ connected }) => {
  for (const seconds of ['0', '-1', '1.5', '1e3', '10000', 'NaN', '']) {
    const ended = await connected.run(`request prod GET ${path} --timeout=${seconds}`)
    assertEnded(ended, 2, /--timeout is a number of seconds, from 1 to 9999/, seconds)
  }
})

describe('request --paginate, of a list that does not end', () => {
  it('gives up after 256 MiB, and prints nothing', async ({ peer, connected }) => {
    const page = Buffer.from(JSON.stringify({ items: Array(100).fill('a'.repeat(MIB / 10)), total: 1e12 }))
    peer.next(path, ...Array(30).fill((_: IncomingMessage, response: ServerResponse) => response.end(page)))

    const { code, out, err } = await connected.run(`request prod POST ${path} --paginate`)

    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^gatehouse: the list does not end/)
    assert.equal(peer.heardAt(path).length, 26)
  })

  it('does not believe an impossible total', async ({ peer, connected }) => {
    for (const total of ['1e999', '-1', '1.5', '1e300']) {
      peer.next(path, { body: `{"items":[1],"total":${total}}` })
      const ended = await connected.run(`request prod POST ${path} --paginate`)
      assertEnded(ended, 1, /not a list of items with a total/, total)
    }
  })
})

function mebibytes(count: number) {
  return (_: IncomingMessage, response: ServerResponse) =>
    pipeline(Readable.from(Array(count).fill(Buffer.alloc(MIB, 'a'))), response, () => undefined)
}

function trickle(_: IncomingMessage, response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 50)
  response.once('close', () => clearInterval(timer))
}
