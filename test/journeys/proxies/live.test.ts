import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { untilSo } from '../../faults/support/replicated.ts'
import { testServer } from '../../postgres/databases.ts'
import { Installation, type Life } from '../../processes/installation.ts'
import { storesIn } from '../../processes/new-stores.ts'
import type { Person } from '../../service/people.ts'
import { canRunNginx, startNginx } from './started-proxy.ts'

const LIMIT_MILLISECONDS = 120_000

const resources = new AsyncDisposableStack()
let nginxPort: number
/** The process that is not behind nginx, on the same database. */
let elsewhere: Life
let administrator: Person

interface Told {
  readonly id?: string
  readonly event?: string
  readonly data?: string
}

/** A page that listens through nginx. */
async function openPage(person: Person, headers: Readonly<Record<string, string>> = {}) {
  const asked = request({
    host: '127.0.0.1',
    port: nginxPort,
    path: '/api/live',
    rejectUnauthorized: false,
    headers: { host: 'localhost', authorization: `Bearer ${person.token}`, ...headers },
  })
  asked.end()
  // A buffering nginx keeps back even the head of the response.
  const [response] = await once(asked, 'response', { signal: AbortSignal.timeout(LIMIT_MILLISECONDS) })
  assert.equal(response.statusCode, 200)
  let text = ''
  let isEnded = false
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  response.once('end', () => {
    isEnded = true
  })
  const told = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .map(fieldsOf)
      .filter(({ event }) => event !== undefined)
  return {
    told,
    async hears(words: string): Promise<Told> {
      const find = () => told().find(({ event, data }) => `${event} ${data}`.includes(words))
      await untilSo(`the page hears ${words}`, async () => find() !== undefined)
      return find() ?? assert.fail()
    },
    ends: () => untilSo('the stream ends', async () => isEnded),
    close: () => asked.destroy(),
  }
}

function fieldsOf(block: string): Told {
  return Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)))
}

async function publish(title: string, person: Person): Promise<void> {
  const notification = { title, content: 'C', target_user_id: person.id }
  const { status, body } = await administrator.post('/api/admin/create_notification', notification)
  assert.equal(status, 200, JSON.stringify(body))
}

async function start(): Promise<void> {
  const env = { ...(await storesIn(resources, await testServer(), ['apac-1'])), TRUSTED_PROXIES: '127.0.0.1' }
  const installation = resources.use(new Installation())
  const credentials = await installation.prepare(env)
  const [behind, other] = await Promise.all([installation.serve(env), installation.serve(env)])
  nginxPort = resources.use(await startNginx(behind.port)).port
  elsewhere = other
  administrator = await elsewhere.signedIn(credentials)
}

/** Keeps a page open for as long as the tests run, once it has received something. */
async function keepListening(): Promise<void> {
  const witness = await elsewhere.signedUp('witness')
  const page = await openPage(witness)
  resources.defer(() => void page.close())
  await untilSo('the process behind nginx follows the events', async () => {
    await publish('Hello', witness)
    return page.told().some(({ event }) => event === 'notification')
  })
}

describe.skipIf(!canRunNginx)('/api/live behind nginx as deploy/nginx.conf has it, two processes (needs nginx)', () => {
  beforeAll(async () => {
    await start()
    await keepListening()
  })
  afterAll(() => resources.disposeAsync())

  it('an event of the other process reaches an open page, though nginx buffers', async () => {
    const ann = await elsewhere.signedUp('ann')
    const page = await openPage(ann)
    await page.hears('unread {"count":0}')

    await publish('The drawbridge is open', ann)

    const { event } = await page.hears('The drawbridge is open')
    assert.equal(event, 'notification')
    page.close()
  })

  it('a page that reconnects with Last-Event-ID gets what it missed once', async () => {
    const ben = await elsewhere.signedUp('ben')
    const page = await openPage(ben)
    await page.hears('unread {"count":0}')
    await publish('Seen', ben)
    const { id = '' } = await page.hears('Seen')
    page.close()
    await publish('Missed', ben)

    // The event is in the order a moment after it was written.
    const witness = await openPage(ben, { 'last-event-id': id })
    await witness.hears('Missed')
    const again = await openPage(ben, { 'last-event-id': id })
    await again.hears('unread {"count":2}')

    assert.deepEqual(
      again.told().map(({ event, data = '' }) => [event, JSON.parse(data).title]),
      [
        ['notification', 'Missed'],
        ['unread', undefined],
      ],
    )
    witness.close()
    again.close()
  })

  it('a page whose session is ended by the other process is signed out, and its stream ends', async () => {
    const cara = await elsewhere.signedUp('cara')
    const page = await openPage(cara)
    await page.hears('unread {"count":0}')

    const { status } = await administrator.post('/api/admin/revoke_user_sessions', { id: cara.id })

    assert.equal(status, 200)
    await page.hears('signed_out {}')
    await page.ends()
  })
})
