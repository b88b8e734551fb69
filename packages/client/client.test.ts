import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { describe } from 'vitest'
import { listening } from '../../test/processes/listening.ts'
import { it } from '../../test/service/it.ts'
import { startProduct } from '../../test/service/product.ts'
import { type AnyApi, type ClientOptions, clientFor } from './client.ts'
import { GatehouseError } from './error.ts'

interface Api {
  get: { '/api/health': { input: Record<string, never>; output: { version: string } } }
  post: {
    '/api/submit_feedback': { input: { type: string; content: string }; output: { id: string } }
    '/api/list_notifications': { input: { page?: number }; output: { total: number } }
    '/api/read_notification': { input: { id: string }; output: object }
  }
}

const FACTS = { reads: ['GET /api/health', 'POST /api/list_notifications'], keyed: ['/api/submit_feedback'] }

describe('gatehouse/client', () => {
  it('calls routes by their paths, and throws a refusal in the service’s words', async ({ service, ann }) => {
    await using server = await listening(service)
    const client = createClient({ baseUrl: server.url, token: ann.token })

    const health = await client.get('/api/health')
    const sent = await client.post('/api/submit_feedback', { type: 'idea', content: 'More' })
    const listed = await client.post('/api/list_notifications')
    const refused = await refusalOf(client.post('/api/submit_feedback', { type: 'idea', content: '' }))

    assert.match(health.version, /^\d/)
    assert.match(sent.id, /./)
    assert.equal(listed.total, 0)
    const { status, code, issues } = refused
    assert.deepEqual([status, code, issues[0]?.path], [400, 'INVALID_REQUEST', 'content'])
  })

  it('asks for the token before each request', async ({ service, ann }) => {
    await using server = await listening(service)
    const tokens = [ann.token, 'ghs_of-nobody']
    const client = createClient({ baseUrl: server.url, token: async () => tokens.shift() })

    const first = await client.post('/api/list_notifications', { page: 1 })
    const second = await refusalOf(client.post('/api/list_notifications'))

    assert.deepEqual([first.total, second.code], [0, 'UNAUTHORIZED'])
  })

  it('sends the bookmark of the last response, and reads from the primary after two simultaneous ones', async () => {
    const seen: (string | null)[] = []
    const answers = ['b1', 'b2', 'b3', 'b4']
    const client = scripted(({ headers }) => {
      seen.push(headers.get('x-db-meta-bookmark'))
      return Response.json({ total: 0 }, { headers: { 'x-db-meta-bookmark': answers.shift() ?? '' } })
    })

    await client.post('/api/list_notifications')
    await Promise.all([client.post('/api/list_notifications'), client.post('/api/list_notifications')])
    await client.post('/api/list_notifications')

    assert.deepEqual(seen, [null, 'b1', 'b1', 'first-primary'])
  })

  it('retries reads, and writes with the same key; never any other write', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const keys: (string | null)[] = []
    let requests = 0
    const client = scripted(({ headers }) => {
      requests++
      keys.push(headers.get('idempotency-key'))
      return new Response('<h1>Bad gateway</h1>', { status: 502 })
    })
    const count = async (call: () => Promise<unknown>) => {
      const before = requests
      const ended = refusalOf(call())
      const pause = setInterval(() => mock.timers.tick(1_000), 1)
      const { status } = await ended
      clearInterval(pause)
      return `${requests - before} requests, ${status}`
    }

    const read = await count(() => client.post('/api/list_notifications'))
    const write = await count(() => client.post('/api/read_notification', { id: 'one' }))
    keys.length = 0
    const keyed = await count(() => client.post('/api/submit_feedback', { type: 'idea', content: 'More' }))

    assert.deepEqual([read, write, keyed], ['3 requests, 502', '1 requests, 502', '3 requests, 502'])
    assert.equal(new Set(keys).size, 1)
    assert.match(keys[0] ?? '', /^[\da-f-]{36}$/)
  })

  it('says NETWORK if there is no response, and stops when the caller aborts', async () => {
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'any' })
    const slow = scripted(() => new Promise<Response>(() => undefined))

    const unreachable = await refusalOf(nobody.post('/api/read_notification', { id: 'one' }))
    const aborted = slow.get('/api/health', {}, { signal: AbortSignal.abort(new Error('enough')) })

    assert.deepEqual([unreachable.status, unreachable.code], [0, 'NETWORK'])
    await assert.rejects(aborted, /enough/)
  })

  it('gives up without a response, and stops at once if the caller aborts', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const silent = await hangingServer()
    const client = createClient({ baseUrl: silent.url, token: 'any', timeoutMilliseconds: 20 })
    const stopping = new AbortController()
    const failing = scripted(() => {
      stopping.abort(new Error('enough'))
      return new Response('', { status: 503 })
    })

    const hung = await refusalOf(client.post('/api/read_notification', { id: 'one' }))
    const stopped = failing.get('/api/health', {}, { signal: stopping.signal })

    await assert.rejects(stopped, /enough/)
    assert.deepEqual([hung.status, hung.code], [0, 'NETWORK'])
    silent.close()
  })

  it('does not mistake a page for a response, and sends the token to no other host', async () => {
    const asked: string[] = []
    const page = scripted(({ url }) => {
      asked.push(url)
      return new Response('<h1>Sign in to the Wi-Fi</h1>')
    })
    const path = '//evil.example/api/health' as '/api/health'

    const read = await refusalOf(page.get('/api/health'))

    assert.deepEqual([read.status, read.code], [200, 'UNREADABLE'])
    await assert.rejects(page.get(path), /is not a path of/)
    assert.deepEqual(asked, ['https://id.example.com/api/health'])
  })
})

describe('gatehouse/client, with a server that is not what it seems', () => {
  it('reads no more of a response than `largestAnswerBytes`', async () => {
    await using server = await startProduct((_, response) => {
      pipeline(Readable.from(endless()), response, () => undefined)
    })
    const baseUrl = new URL(server.url).origin
    const client = createClient({ baseUrl, token: 'any', largestAnswerBytes: 1024 * 1024 })

    const read = await refusalOf(client.post('/api/read_notification', { id: 'one' }))

    assert.deepEqual([read.status, read.code], [200, 'UNREADABLE'])
    assert.equal(read.message, 'The response has more than 1048576 bytes.')
  })

  it('reads a response of 32 MiB by default, in whatever pieces it comes', async () => {
    const items = Array(32).fill('ä'.repeat(512 * 1024))
    const bytes = Buffer.from(JSON.stringify({ total: 1, items }))
    const pieces = Array.from({ length: 4_001 }, (_, i) => bytes.subarray(i * 8_389, (i + 1) * 8_389))
    const client = scripted(() => new Response(ReadableStream.from(pieces)))

    const listed = await client.post('/api/list_notifications')

    assert.deepEqual(listed, { total: 1, items })
  })

  it('has only issues with a path and a message', async () => {
    const issues = [null, 5, 'text', {}, { path: 1, message: 'a' }, { path: 'content', message: 'Too long' }]
    const client = scripted(() => Response.json({ code: 'INVALID_REQUEST', issues }, { status: 400 }))

    const refused = await refusalOf(client.post('/api/read_notification', { id: 'one' }))

    assert.deepEqual(refused.issues, [{ path: 'content', message: 'Too long' }])
  })

  it('takes a Retry-After of whole seconds, and no other', async () => {
    for (const sent of ['30', '-1', '1e300', '99999999999', '0x10', 'Fri, 27 Nov 2026 10:00:00 GMT', '']) {
      const client = scripted(() => Response.json({}, { status: 429, headers: { 'retry-after': sent } }))
      const refused = await refusalOf(client.post('/api/read_notification', { id: 'one' }))
      assert.equal(refused.retryAfterSeconds, sent === '30' ? 30 : undefined, sent)
    }
  })
})

function* endless(): Generator<string> {
  for (;;) yield ' '.repeat(65_536)
}

async function hangingServer() {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

function createClient(options: ClientOptions) {
  return clientFor<Api & AnyApi>(options, FACTS)
}

/** Replaces the network. */
function scripted(answer: (request: { url: string; headers: Headers }) => Response | Promise<Response>) {
  const ask: typeof fetch = async (input, init) => {
    init?.signal?.throwIfAborted()
    return answer({ url: String(input), headers: new Headers(init?.headers) })
  }
  return createClient({ baseUrl: 'https://id.example.com', token: 'any', fetch: ask })
}

async function refusalOf(call: Promise<unknown>): Promise<GatehouseError> {
  const error = await call.then(
    () => assert.fail('nothing was refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof GatehouseError, String(error))
  return error
}
