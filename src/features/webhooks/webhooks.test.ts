import assert from 'node:assert/strict'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { describe } from 'vitest'
import { openPatiently, whileHeld } from '../../../test/postgres/held-user.ts'
import { it } from '../../../test/service/it.ts'
import { type Person, people } from '../../../test/service/people.ts'
import { type Got, startProduct } from '../../../test/service/product.ts'
import { type Service, startService } from '../../../test/service/service.ts'

const LOCAL = { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } }

/** Hands over what was written, and sends it. */
async function sendAll(service: Service) {
  await service.runJob('events')
  await service.runJob('webhooks')
}

async function publish(administrator: Person, title: string, target_user_id: string | null = null) {
  await administrator.post('/api/admin/create_notification', { title, content: 'C', target_user_id })
}

async function deliveries(administrator: Person, webhook_id: string, filter: object = {}) {
  const { body } = await administrator.post('/api/admin/list_webhook_deliveries', { webhook_id, ...filter })
  return body.items
}

const TYPES = ['notification.published', 'notification.archived']

describe('list_webhooks', () => {
  it('takes a page, and is newest first', async ({ service, administrator }) => {
    for (const name of ['one', 'two', 'three']) {
      await administrator.post('/api/admin/create_webhook', { url: `https://${name}.example.com/` })
      service.clock.advance({ seconds: 1 })
    }

    const pages = await Promise.all(
      [1, 2, 3].map((page) => administrator.post('/api/admin/list_webhooks', { page, page_size: 2 })),
    )

    const shown = pages.map(({ body }) => [body.items.map(({ url }: { url: string }) => url), body.total])
    assert.deepEqual(shown, [
      [['https://three.example.com/', 'https://two.example.com/'], 3],
      [['https://one.example.com/'], 3],
      [[], 3],
    ])
  })
})

describe('checklist 89: a webhook', () => {
  it('is sent what happens, signed so that the published libraries accept it', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using product = await startProduct()
    const { body: made } = await administrator.post('/api/admin/create_webhook', {
      url: product.url,
      types: TYPES,
    })
    const verify = (
      secret: string,
      { headers, body }: Got = product.got.at(-1) ?? { headers: {}, body: '' },
    ) =>
      [new Standard(secret), new Svix(secret)].map((library) =>
        library.verify(body, { ...headers, ...svix(headers) }),
      )
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })

    await publish(administrator, 'One')
    await sendAll(service)
    verify(made.secret)
    const { body: rotated } = await administrator.post('/api/admin/rotate_webhook_secret', { id: made.id })
    await publish(administrator, 'Two')
    await sendAll(service)
    verify(made.secret)
    verify(rotated.secret)
    service.clock.advance({ hours: 25 })
    await administrator.signIn()
    await publish(administrator, 'Three')
    await sendAll(service)

    const [sent] = product.got.map(({ body }) => JSON.parse(body))
    assert.deepEqual(Object.keys(sent).sort(), ['data', 'id', 'occurred_at', 'type', 'user_id'])
    assert.deepEqual([sent.type, sent.data.title, product.got.length], ['notification.published', 'One', 3])
    assert.equal(product.got[0]?.headers['webhook-id'], sent.id)
    assert.equal(product.got[1]?.headers['webhook-signature']?.split(' ').length, 2)
    assert.equal(product.got[2]?.headers['webhook-signature']?.split(' ').length, 1)
    const [last] = await deliveries(administrator, made.id)
    assert.deepEqual(
      [last.status, last.tries, last.answer_code, last.answer, JSON.parse(last.body).data.title],
      ['delivered', 1, 200, 'thanks', 'Three'],
    )
  })

  it('is tried again as promised, in order for one user, and delays nobody else', async () => {
    await using service = await startService(LOCAL)
    const { administrator, ann, ben } = await people(service)
    await using product = await startProduct((_, response, body) => {
      response.statusCode = JSON.parse(body).data.title === 'ann 1' ? 500 : 204
      response.end()
    })
    const { body: made } = await administrator.post('/api/admin/create_webhook', {
      url: product.url,
      types: TYPES,
    })
    await sendAll(service)
    for (const title of ['ann 1', 'ann 2']) await publish(administrator, title, ann.id)
    await publish(administrator, 'ben 1', ben.id)
    const titles = () => product.got.splice(0).map(({ body }) => JSON.parse(body).data.title)

    await sendAll(service)
    const first = titles()
    const waits = []
    for (const seconds of [5, 30, 120, 600, 3600, 21_600]) {
      service.clock.advance({ seconds: seconds - 1 })
      await service.runJob('webhooks')
      const early = titles()
      service.clock.advance({ seconds: 1 })
      await service.runJob('webhooks')
      waits.push({ early, inTime: titles() })
    }
    product.behaviour.answer = (_, response) => response.end()
    service.clock.advance({ hours: 6 })
    await service.runJob('webhooks')

    assert.deepEqual(first.sort(), ['ann 1', 'ben 1'])
    assert.deepEqual(
      waits,
      Array.from({ length: 6 }, () => ({ early: [], inTime: ['ann 1'] })),
    )
    assert.deepEqual(titles(), ['ann 1', 'ann 2'])
    await administrator.signIn()
    const states = (await deliveries(administrator, made.id)).map(({ status }: { status: string }) => status)
    assert.deepEqual(states, ['delivered', 'delivered', 'delivered'])
  })

  it('that accepts nothing for three days is switched off with a letter, and can catch up', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using product = await startProduct((_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    })
    const { body: made } = await administrator.post('/api/admin/create_webhook', {
      url: product.url,
      types: TYPES,
    })
    await publish(administrator, 'One')
    const start = service.clock.now()
    await sendAll(service)

    for (let hours = 0; hours < 80; hours++) {
      service.clock.advance({ hours: 1 })
      await service.runJob('webhooks')
    }
    await administrator.signIn()
    const letters = await service.platform.meta.selectFrom('mail_queue').select('kind').execute()
    const [off] = (await administrator.post('/api/admin/list_webhooks')).body.items
    const [failed] = await deliveries(administrator, made.id)
    await publish(administrator, 'Two')
    await sendAll(service)
    const whileOff = product.got.length
    product.behaviour.answer = (_, response) => response.end()
    await administrator.post('/api/admin/update_webhook', { id: made.id, enabled: true })
    const { body: again } = await administrator.post('/api/admin/redeliver', {
      webhook_id: made.id,
      // After it was made, before its last try.
      failed_since: start + 24 * 3_600_000,
    })
    await service.runJob('webhooks')

    assert.deepEqual(letters, [{ kind: 'notice' }])
    assert.deepEqual([off.enabled, off.failing_since, off.switched_off_at !== null], [false, start, true])
    assert.deepEqual([failed.status, failed.answer_code, failed.error], ['failed', 302, 'redirected'])
    assert.deepEqual(again, { count: 1 })
    const caughtUp = product.got.slice(whileOff).map(({ body }) => JSON.parse(body).data.title)
    assert.deepEqual(caughtUp.sort(), ['One', 'Two'])
    const [back] = (await administrator.post('/api/admin/list_webhooks')).body.items
    assert.deepEqual([back.enabled, back.failing_since, back.switched_off_at], [true, null, null])
  })

  it('that is deleted at the moment at which it is switched off causes no later entry and no letter', async () => {
    await using service = await startService({ ...LOCAL, open: openPatiently })
    const { administrator } = await people(service)
    const { meta } = service.platform
    const { body: made } = await administrator.post('/api/admin/create_webhook', {
      url: 'https://example.com/',
    })
    await meta.updateTable('webhook').set({ failing_since: service.clock.now() }).execute()
    service.clock.advance({ hours: 73 })
    await administrator.signIn()

    const held = { sql: 'select from webhook where id = $1 for update', values: [made.id] }
    await whileHeld<unknown>(service, held, [
      () => administrator.post('/api/admin/delete_webhook', { id: made.id }),
      () => service.runJob('webhooks'),
    ])

    const { body } = await administrator.post('/api/admin/list_audit_entries', {})
    const actions = body.items
      .map(({ action }: { action: string }) => action)
      .filter((action: string) => action.startsWith('webhook'))
    const letters = await meta.selectFrom('mail_queue').select('kind').execute()
    assert.equal(actions[0], 'webhook.delete')
    assert.equal(letters.length, actions.length - 2)
  })

  it('is refused beyond a hundred, also if several are created at once', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const create = () =>
      administrator.post('/api/admin/create_webhook', { url: 'https://example.com/', enabled: false })
    for (let i = 0; i < 98; i++) await create()

    const made = await Promise.all(Array.from({ length: 6 }, create))

    assert.deepEqual(made.map(({ status }) => status).toSorted(), [200, 200, 400, 400, 400, 400])
    const { body } = await administrator.post('/api/admin/list_webhooks')
    assert.equal(body.total, 100)
  })

  it('whose secret is rotated twice at once signs with both', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    await using product = await startProduct()
    const { body: made } = await administrator.post('/api/admin/create_webhook', {
      url: product.url,
      types: TYPES,
    })
    service.clock.advance({ milliseconds: Date.now() - service.clock.now() })

    const rotated = await Promise.all(
      [1, 2].map(() => administrator.post('/api/admin/rotate_webhook_secret', { id: made.id })),
    )
    await publish(administrator, 'One')
    await sendAll(service)

    const { headers, body } = product.got[0] ?? assert.fail()
    for (const { body: shown } of rotated) new Standard(shown.secret).verify(body, { ...headers })
  })

  it('that was deleted is neither changed nor called again, and the audit log has no entry about it', async () => {
    await using service = await startService(LOCAL)
    const { administrator } = await people(service)
    const { body: made } = await administrator.post('/api/admin/create_webhook', {
      url: 'https://example.com/',
    })
    await administrator.post('/api/admin/delete_webhook', { id: made.id })

    const answers = await Promise.all([
      administrator.post('/api/admin/update_webhook', { id: made.id, enabled: true }),
      administrator.post('/api/admin/rotate_webhook_secret', { id: made.id }),
      administrator.post('/api/admin/redeliver', { id: made.id }),
    ])

    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 404, 404],
    )
    const { body } = await administrator.post('/api/admin/list_audit_entries', {})
    const actions = body.items.map(({ action }: { action: string }) => action)
    assert.deepEqual(
      actions.filter((action: string) => action.startsWith('webhook')),
      ['webhook.delete', 'webhook.create'],
    )
  })
})

function svix(headers: Got['headers']) {
  return Object.fromEntries(
    ['id', 'timestamp', 'signature'].map((name) => [`svix-${name}`, headers[`webhook-${name}`] ?? '']),
  )
}
