import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, vi } from 'vitest'
import { Dispatcher } from '../../../src/features/delivery/webhooks/lanes/dispatcher.ts'
import { Transport } from '../../../src/platform/endpoints/transport.ts'
import { SYSTEM_FILES } from '../../../src/platform/names/local-names.ts'
import { openNames } from '../../../src/platform/names/names.ts'
import { addressesOutside } from '../../../src/platform/public-addresses.ts'
import { startNameServer } from '../../processes/name-server.ts'
import { statuses } from '../../service/answers.ts'
import { it } from '../../service/webhooks.ts'

const LOCAL = addressesOutside(['127.0.0.0/8'])
const running = new AbortController().signal

function post(url: string, addresses = LOCAL, answerSeconds?: number, names = openNames()) {
  const transport = new Transport(addresses, names, answerSeconds)
  return transport.send({ url, headers: {}, body: '{}' }, running).finally(() => transport.close())
}

describe('a webhook (checklist 89)', () => {
  it('reaches no private address, however it is written', async () => {
    const nowhere = addressesOutside([])
    const addresses = [
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://[::1]/',
      'https://0.0.0.0/',
      'https://[::]/',
      'https://[::ffff:10.0.0.1]/',
      'https://[::ffff:a9fe:a9fe]/',
      'https://[fe80::1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://10.1.2.3/',
      'https://169.254.169.254/latest/meta-data/',
      'https://localhost/',
      'http://example.com/',
    ]

    const outcomes = await Promise.all(addresses.map((url) => post(url, nowhere)))

    for (const { isAccepted, error } of outcomes) {
      assert.equal(isAccepted, false)
      assert.match(error ?? '', /^(private_address|http_not_allowed|name_not_found|name_not_resolved)$/)
    }
  })

  it('does not follow a name that has changed its address since it was looked up', async ({ product }) => {
    // An address that was public when the webhook was made is local when it connects.
    await using server = await startNameServer({ 'rebinding.test': ['127.0.0.1'] })
    const names = openNames({ ...SYSTEM_FILES, servers: [server.address] })
    const url = product.url.replace('http://127.0.0.1', 'https://rebinding.test')

    const { isAccepted, error } = await post(url, addressesOutside([]), undefined, names)

    assert.deepEqual([isAccepted, error, product.got.length], [false, 'private_address', 0])
  })

  it('says by a code that an endpoint redirects, breaks off, or has a bad certificate', async ({ product }) => {
    product.behaviour.answer = (request, response) => {
      if (request.url === '/redirects') response.writeHead(307, { location: '/hook' }).end()
      else request.socket.destroy()
    }
    await using secure = await startBadCertificate()
    const at = (path: string) => product.url.replace('/hook', path)

    for (const [url, error] of [
      [at('/redirects'), /^redirected$/],
      [at('/breaks'), /^connection_closed$/],
      ['http://127.0.0.1:1/', /^connection_refused$/],
      ['http://no-such-host.invalid/', /^name_not_(found|resolved)$/],
      [secure.url, /^tls_failed$/],
    ] as const)
      assert.match((await post(url)).error ?? '', error, url)
    assert.equal(product.got.length, 2)
  })

  it('reads little of an endless response, and decides by its status', async ({ product }) => {
    let sent = 0
    product.behaviour.answer = (_, response) => {
      const chunk = Buffer.alloc(64 * 1024, '雪')
      const pour = () => {
        while (!response.destroyed && sent < 1024 ** 3) {
          sent += chunk.length
          if (!response.write(chunk)) return response.once('drain', pour)
        }
        return response.end()
      }
      pour()
    }

    const { isAccepted, answer } = await post(product.url)

    assert.deepEqual([isAccepted, answer], [true, '雪'.repeat(1_000)])
    assert.ok(sent < 16 * 1024 ** 2, `${sent} bytes were sent`)
  })

  it('cuts off a response that trickles in: without a head there is no response', async ({ product }) => {
    product.behaviour.answer = (request, response) => {
      if (request.url === '/upgrades') {
        request.socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
        return
      }
      if (request.url === '/body') response.writeHead(200).write('a beginning')
      const drip = setInterval(() => {
        if (request.url === '/body') response.write('.')
        else request.socket.write(request.url === '/hints' ? 'HTTP/1.1 103 Early Hints\r\n\r\n' : 'H')
      }, 20)
      request.socket.on('close', () => clearInterval(drip))
    }

    const [head, hints, body, upgrade] = await Promise.all(
      ['/head', '/hints', '/body', '/upgrades'].map((path) =>
        post(product.url.replace('/hook', path), LOCAL, TRICKLE_SECONDS),
      ),
    )

    for (const outcome of [head, hints, upgrade]) assert.equal(outcome?.isAccepted, false)
    assert.equal(hints?.error, 'connection_closed')
    assert.deepEqual([body?.isAccepted, body?.status], [true, 200])
    assert.match(body?.answer ?? '', /^a beginning\.{2}/)
  })

  it('waits ten seconds for an endpoint that hangs, not less and not more', async ({ product }) => {
    const arrived = Promise.withResolvers<void>()
    product.behaviour.answer = () => arrived.resolve()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    using _ = { [Symbol.dispose]: () => vi.useRealTimers() }
    const sending = post(product.url)
    const given = { up: false }
    void sending.then(() => {
      given.up = true
    })
    await arrived.promise

    vi.advanceTimersByTime(9_999)
    await new Promise((resolve) => setImmediate(resolve))
    const before = given.up
    vi.advanceTimersByTime(1)
    const { isAccepted, error, milliseconds } = await sending

    assert.equal(before, false)
    assert.deepEqual([isAccepted, error, milliseconds], [false, 'timed_out', 10_000])
  })

  it('whose endpoint hangs is given up, reported and tried again', async ({ service, webhooks, product }) => {
    let givenUp = 0
    const all = Promise.withResolvers<void>()
    product.behaviour.answer = (_, response) =>
      response.once('close', () => {
        if (++givenUp === 8) all.resolve()
      })
    const { id } = await webhooks.add(product.url)
    await webhooks.publishMany(8)

    const dispatcher = new Dispatcher(service.platform, new Transport(LOCAL, service.platform.names, 0.1))
    await dispatcher.turn()
    await dispatcher.close()
    // The other end of a connection learns a moment later that it was closed.
    await all.promise

    const { total, items } = await webhooks.deliveries(id)
    assert.equal(total, 8)
    const next = service.clock.now() + 5_000
    for (const { status, error, tries, next_attempt_at } of items)
      assert.deepEqual([status, error, tries, next_attempt_at], ['pending', 'timed_out', 1, next])
  })

  it('is recorded even if the response has characters that no store takes', async ({ webhooks, product }) => {
    product.behaviour.answer = (_, response) =>
      response.writeHead(500).end(`zero \0 and half of a character ${'x'.repeat(968)}\u{1f6a3}`)
    const { id } = await webhooks.add(product.url)
    await webhooks.publish('T')
    await webhooks.send()

    const [{ tries, answer_code, answer }] = (await webhooks.deliveries(id)).items
    assert.deepEqual([tries, answer_code, answer.length, answer.isWellFormed()], [1, 500, 1_000, true])
    assert.match(answer, /^zero \ufffd and half of a character x+\ufffd$/)
  })

  it('leaves nothing of the path or query of its address in the audit log', async ({ administrator, webhooks }) => {
    const url = 'https://hooks.example.com/services/path-secret?key=query-secret'

    const { id } = await webhooks.add(url)
    await webhooks.update(id, { url: `${url}2` })
    await webhooks.delete(id)

    const { body } = await administrator.post('/api/admin/list_audit_entries', {})
    const about = body.items.filter(({ action }: { action: string }) => /^webhook/.test(action))
    const entries = JSON.stringify(about)
    assert.equal(entries.split('https://hooks.example.com/…').length, 4)
    assert.doesNotMatch(entries, /secret/)
  })

  it('keeps its secret sealed, shows it once, and accepts no address with a password in it', async ({
    service,
    webhooks,
    ann,
  }) => {
    const { secret } = await webhooks.add('https://example.com/hook')
    const wrong = ['ftp://example.com', 'https://ann:secret@example.com', 'example.com', 'https://example.com/#x']
    const refused = await Promise.all(wrong.map((url) => webhooks.create(url)))
    const foreign = await ann.post('/api/admin/list_webhooks')

    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const stored = JSON.stringify(await service.platform.meta.selectFrom('webhook').selectAll().execute())
    for (const text of [stored, JSON.stringify(await webhooks.list())]) assert.doesNotMatch(text, /whsec_/)
    assert.ok(!stored.includes(secret.slice(6)))
    assert.deepEqual(statuses([...refused, foreign]), [400, 400, 400, 400, 403])
  })
})

/** Many drops of the trickle. */
const TRICKLE_SECONDS = 0.5

/** Offers TLS without a certificate that anybody could trust. */
async function startBadCertificate() {
  const server = createTlsServer({}, (_, response) => response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
