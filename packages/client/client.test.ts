import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listening } from '../../test/processes/listening.ts'
import { people } from '../../test/service/people.ts'
import { startService } from '../../test/service/service.ts'
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
  it('calls routes by their paths, and throws a refusal in the service’s words', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using server = await listening(service)
    const client = createClient({ baseUrl: server.url, token: ann.token })

    const health = await client.get('/api/health')
    const sent = await client.post('/api/submit_feedback', { type: 'idea', content: 'More' })
    const listed = await client.post('/api/list_notifications')
    const empty = client.post('/api/submit_feedback', { type: 'idea', content: '' })
    const refused = await empty.then(() => undefined, asRefusal)

    assert.match(health.version, /^\d/)
    assert.match(sent.id, /./)
    assert.equal(listed.total, 0)
    assert.deepEqual(
      [refused?.status, refused?.code, refused?.issues[0]?.path],
      [400, 'INVALID_REQUEST', 'content'],
    )
  })

  it('asks for the token before each request', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using server = await listening(service)
    const tokens = [ann.token, 'ghs_of-nobody']
    const client = createClient({ baseUrl: server.url, token: async () => tokens.shift() })

    const first = await client.post('/api/list_notifications', { page: 1 })
    const second = await client.post('/api/list_notifications').catch(asRefusal)

    assert.equal(first.total, 0)
    assert.ok(second instanceof GatehouseError)
    assert.equal(second.code, 'UNAUTHORIZED')
  })

  it('sends the bookmark that the last answer gave; after two answers at once it reads from the primary', async () => {
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

  it('sends again what only reads, and a write with one key; never any other write', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const keys: (string | null)[] = []
    let requests = 0
    const client = scripted(({ headers }) => {
      requests++
      keys.push(headers.get('idempotency-key'))
      return new Response('<h1>Bad gateway</h1>', { status: 502 })
    })
    const count = async (call: () => Promise<unknown>) => {
      const before = requests
      const ended = call().catch(asRefusal)
      const pause = setInterval(() => t.mock.timers.tick(1_000), 1)
      const refused = await ended
      clearInterval(pause)
      return [requests - before, refused instanceof GatehouseError && refused.status]
    }

    const read = await count(() => client.post('/api/list_notifications'))
    const write = await count(() => client.post('/api/read_notification', { id: 'one' }))
    keys.length = 0
    const keyed = await count(() => client.post('/api/submit_feedback', { type: 'idea', content: 'More' }))

    assert.deepEqual(
      [read, write, keyed],
      [
        [3, 502],
        [1, 502],
        [3, 502],
      ],
    )
    assert.equal(new Set(keys).size, 1)
    assert.match(keys[0] ?? '', /^[\da-f-]{36}$/)
  })

  it('says NETWORK if nobody answers, and stops when the caller aborts', async () => {
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'any' })
    const slow = scripted(() => new Promise<Response>(() => undefined))

    const unreachable = await nobody.post('/api/read_notification', { id: 'one' }).catch(asRefusal)
    const aborted = slow.get('/api/health', {}, { signal: AbortSignal.abort(new Error('enough')) })

    assert.ok(unreachable instanceof GatehouseError)
    assert.deepEqual([unreachable.status, unreachable.code], [0, 'NETWORK'])
    await assert.rejects(aborted, /enough/)
  })
})

function createClient(options: ClientOptions) {
  return clientFor<Api & AnyApi>(options, FACTS)
}

/** In place of the network. */
function scripted(answer: (request: { headers: Headers }) => Response | Promise<Response>) {
  const ask: typeof fetch = async (_, init) => {
    init?.signal?.throwIfAborted()
    return answer({ headers: new Headers(init?.headers) })
  }
  return createClient({ baseUrl: 'https://id.example.com', token: 'any', fetch: ask })
}

function asRefusal(error: unknown): GatehouseError {
  if (error instanceof GatehouseError) return error
  throw error
}
