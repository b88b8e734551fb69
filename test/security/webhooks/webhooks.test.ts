import assert from 'node:assert/strict'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'vitest'
import { addressesOutside } from '../../../src/features/webhooks/sending/addresses.ts'
import { Sender } from '../../../src/features/webhooks/sending/send.ts'
import { untilSo } from '../../faults/support/replicated.ts'
import { people } from '../../service/people.ts'
import { startProduct } from '../../service/product.ts'
import { startService } from '../../service/service.ts'

const LOCAL = addressesOutside(['127.0.0.0/8'])
const running = new AbortController().signal

function post(url: string, addresses = LOCAL) {
  const sender = new Sender(addresses)
  return sender.send({ url, headers: {}, body: '{}' }, running).finally(() => sender.close())
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

  it('is neither added nor changed if its address is written as numbers and cannot be reached', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: '10.0.0.0/8' } })
    const { administrator } = await people(service)
    const create = (url: string) => administrator.post('/api/admin/create_webhook', { url })
    const { body: made } = await create('http://10.1.2.3/hook')

    const answers = await Promise.all([
      create('https://127.0.0.1/hook'),
      create('https://[::ffff:7f00:1]/hook'),
      create('http://93.184.215.14/hook'),
      administrator.post('/api/admin/update_webhook', { id: made.id, url: 'https://169.254.169.254/' }),
    ])

    for (const { status, body } of answers)
      assert.deepEqual([status, body.code, body.issues[0].path], [400, 'INVALID_REQUEST', 'url'])
    assert.equal(
      (await administrator.post('/api/admin/list_webhooks')).body.items[0].url,
      'http://10.1.2.3/hook',
    )
  })

  it('does not follow a name that has changed its address since it was looked up', async () => {
    await using product = await startProduct()
    // What was public when the webhook was made is local when it connects.
    const rebinding = addressesOutside([], (_, done) => done(null, [{ address: '127.0.0.1', family: 4 }]))

    const { isAccepted, error } = await post(
      product.url.replace('http://127.0.0.1', 'https://rebinding.test'),
      rebinding,
    )

    assert.deepEqual([isAccepted, product.got.length], [false, 0])
    assert.equal(error, 'private_address')
  })

  it('says by a code that an endpoint redirects, breaks off, or has a bad certificate', async () => {
    await using product = await startProduct((request, response) => {
      if (request.url === '/redirects') response.writeHead(307, { location: '/hook' }).end()
      else request.socket.destroy()
    })
    await using secure = await startBadCertificate()
    const at = (path: string) => product.url.replace('/hook', path)

    const [redirected, broken, refused, unknown, untrusted] = await Promise.all([
      post(at('/redirects')),
      post(at('/breaks')),
      post('http://127.0.0.1:1/'),
      post('http://no-such-host.invalid/'),
      post(secure.url),
    ])

    assert.equal(redirected.error, 'redirected')
    assert.equal(broken.error, 'connection_closed')
    assert.equal(refused.error, 'connection_refused')
    assert.match(unknown.error ?? '', /^name_not_(found|resolved)$/)
    assert.equal(untrusted.error, 'tls_failed')
    assert.equal(product.got.length, 2)
  })

  it('reads little of an endless response, and decides by its status', async () => {
    let sent = 0
    await using product = await startProduct((_, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const pour = () => {
        while (!response.destroyed && sent < 1024 ** 3) {
          sent += chunk.length
          if (!response.write(chunk)) return response.once('drain', pour)
        }
        return response.end()
      }
      pour()
    })

    const { isAccepted, answer } = await post(product.url)

    assert.deepEqual([isAccepted, answer?.length], [true, 1_000])
    assert.ok(sent < 16 * 1024 ** 2, `${sent} bytes were sent`)
  })

  it('cuts off a response that trickles in: without a head there is no response', async () => {
    await using product = await startProduct((request, response) => {
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
    })
    const sender = new Sender(LOCAL)
    const at = (path: string) =>
      sender.send({ url: product.url.replace('/hook', path), headers: {}, body: '{}' }, running)

    const [head, hints, body, upgrade] = await Promise.all(['/head', '/hints', '/body', '/upgrades'].map(at))
    sender.close()

    for (const outcome of [head, hints, upgrade]) assert.equal(outcome?.isAccepted, false)
    assert.equal(hints?.error, 'timed_out')
    assert.deepEqual(
      [body?.isAccepted, body?.status, body?.answer?.startsWith('a beginning')],
      [true, 200, true],
    )
  })

  it('is recorded even if the response has characters that no store takes', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
    const { administrator } = await people(service)
    await using product = await startProduct((_, response) => {
      response.statusCode = 500
      response.end(`zero \0 and half of a character ${'x'.repeat(968)}\u{1f6a3}`)
    })
    const { body: made } = await administrator.post('/api/admin/create_webhook', {
      url: product.url,
      types: ['notification.published'],
    })
    await administrator.post('/api/admin/create_notification', { title: 'T', content: 'C' })
    await service.runJob('events')
    await service.runJob('webhooks')

    const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id: made.id })
    const [{ tries, answer_code, answer }] = body.items
    assert.deepEqual([tries, answer_code, answer.length, answer.isWellFormed()], [1, 500, 1_000, true])
    assert.match(answer, /^zero \ufffd and half of a character x+\ufffd$/)
  })

  it('leaves nothing of the path or query of its address in the audit log', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
    const { administrator } = await people(service)
    const url = 'https://hooks.example.com/services/path-secret?key=query-secret'

    const { body: made } = await administrator.post('/api/admin/create_webhook', { url })
    await administrator.post('/api/admin/update_webhook', { id: made.id, url: `${url}2` })
    await administrator.post('/api/admin/delete_webhook', { id: made.id })

    const { body } = await administrator.post('/api/admin/list_audit_entries', {})
    const entries = JSON.stringify(
      body.items.filter(({ action }: { action: string }) => /^webhook/.test(action)),
    )
    assert.equal(entries.split('https://hooks.example.com/…').length, 4)
    assert.doesNotMatch(entries, /secret/)
  })

  it('waits ten seconds for an endpoint that hangs, reports that, and tries again', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
    const { administrator } = await people(service)
    let givenUp = 0
    await using hanging = await startProduct((_, response) => {
      response.once('close', () => {
        givenUp++
      })
    })
    await using prompt = await startProduct()
    const create = async (url: string) =>
      (await administrator.post('/api/admin/create_webhook', { url, types: ['notification.published'] })).body
    const slow = await create(hanging.url)
    await create(prompt.url)
    for (let i = 0; i < 8; i++)
      await administrator.post('/api/admin/create_notification', { title: `${i}`, content: 'C' })
    await service.runJob('events')

    const working = service.runJob('webhooks')
    while (prompt.got.length < 8 || hanging.got.length < 8)
      await new Promise((resolve) => setImmediate(resolve))
    const givenUpBefore = givenUp
    await working
    // The other end of a connection learns a moment later that it was closed.
    await untilSo('each attempt was given up', async () => givenUp === 8)

    assert.equal(givenUpBefore, 0)
    const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id: slow.id })
    assert.deepEqual([body.total, body.items[0].status, body.items[0].error], [8, 'pending', 'timed_out'])
    // Timers can be a millisecond early, and a busy machine is late.
    for (const { milliseconds } of body.items) assert.equal(Math.floor((milliseconds + 10) / 10_000), 1)
  })

  it('keeps its secret sealed, shows it once, and accepts no address with a password in it', async () => {
    await using service = await startService({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
    const { administrator, ann } = await people(service)
    const create = (url: string) => administrator.post('/api/admin/create_webhook', { url })

    const { body: made } = await create('https://example.com/hook')
    const listed = await administrator.post('/api/admin/list_webhooks')
    const refused = await Promise.all(
      ['ftp://example.com', 'https://ann:secret@example.com', 'example.com', 'https://example.com/#x'].map(
        create,
      ),
    )
    const foreign = await ann.post('/api/admin/list_webhooks')

    assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const stored = JSON.stringify(await service.platform.meta.selectFrom('webhook').selectAll().execute())
    for (const text of [stored, JSON.stringify(listed.body)]) assert.doesNotMatch(text, /whsec_/)
    assert.ok(!stored.includes(made.secret.slice(6)))
    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 400, 400, 400],
    )
    assert.equal(foreign.status, 403)
  })
})

/** Offers TLS without a certificate that anybody could trust. */
async function startBadCertificate() {
  const server = createTlsServer({}, (_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
