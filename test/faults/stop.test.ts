import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { hashesAtOnce } from '../../src/platform/passwords/passwords.ts'
import { prepareStores } from '../../src/prepare.ts'
import type { Life } from '../processes/installation.ts'
import { ENGINES, it } from '../processes/it.ts'
import { statuses } from '../service/answers.ts'
import { grantFor } from '../service/grants.ts'
import { Person } from '../service/people.ts'
import { openPage } from '../service/wire/live-page.ts'
import { untilSo } from './support/replicated.ts'

const ITERATIONS = 700_000
const NETWORKS = 3
/** Hashing for all of them takes longer than a stop waits for its requests. */
const FROM_EACH = 20 * hashesAtOnce()

it.for(ENGINES)(
  'a stop beside a flood of sign-ins on %s fails no request: each sign-in is answered, or is refused and can be repeated',
  async (engine, { program, places }) => {
    const stores = engine === 'SQLite' ? {} : await places.empty('apac-1')
    const opened = await openStores(program.config(stores))
    await prepareStores(program.config(stores), opened, Date.now, ITERATIONS)
    await closeStores(opened)
    const life = await program.serve({ ...stores, TRUSTED_PROXIES: '127.0.0.0/8', LOG_FORMAT: 'json' })

    let answered = 0
    const flood = Array.from({ length: NETWORKS * FROM_EACH }, async (_, i) => {
      const person = new Person(life, `person-${i}@example.com`, 'not the password')
      const answer = await person.signIn({ 'x-forwarded-for': `203.0.${i % NETWORKS}.9` })
      answered++
      return answer
    })
    await untilSo('every sign-in waits, runs or is answered', async () => {
      const before = answered
      return before + (await waitingHashes(life)) + hashesAtOnce() >= flood.length
    })
    life.child.kill('SIGTERM')
    const answers = await Promise.all(flood)
    const { code, stderr } = await life.output

    assert.deepEqual([code, /.*"level":"error".*/.exec(stderr)?.[0]], [0, undefined])
    for (const { status, headers } of answers)
      assert.deepEqual([status, headers.get('retry-after')], status === 401 ? [401, null] : [503, '2'])
  },
)

it.for(ENGINES)(
  'a stop beside what stays open on %s answers who waits, ends what is open, and waits for nobody',
  async (engine, { program, places }) => {
    const stores = await places.on(engine)
    const { email, password } = await program.prepare(stores)
    const life = await program.serve({ ...stores, LOG_FORMAT: 'json' })
    const administrator = new Person(life, email, password)
    await administrator.signIn()
    const { body: latest } = await administrator.post('/api/admin/list_events', { after: 'latest' })
    const tool = await grantFor(administrator, 'admin:events:read')
    const wait = { after: latest.next, wait_seconds: 25 }
    const params = { name: 'admin_list_events', arguments: wait }

    const live = await openPage(life, administrator)
    await live.next()
    const waiting = [
      administrator.post('/api/admin/list_events', wait),
      tool.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    ]
    // Later requests are answered, so both have begun.
    for (let i = 0; i < 3; i++) await administrator.get('/api/auth/get-session')
    life.child.kill('SIGTERM')
    const answers = await Promise.all(waiting)
    while ((await live.block()) !== undefined);
    const { code, stderr } = await life.output

    assert.deepEqual([code, /.*"level":"error".*/.exec(stderr)?.[0]], [0, undefined])
    assert.deepEqual(statuses(answers), [200, 200])
  },
)

it.for(ENGINES)(
  'a stop on %s waits neither for a silent webhook endpoint nor a silent mail provider, nor for a client that reads no further or sends no further',
  async (engine, { program, places }) => {
    await using silent = await silentServer()
    const stores = await places.on(engine)
    const { email, password } = await program.prepare(stores)
    const life = await program.serve({
      ...stores,
      ...{ EMAIL_API_URL: silent.url, WEBHOOK_NETWORKS: '127.0.0.1/32', USER_LIMIT_FACTOR: '100' },
      LOG_FORMAT: 'json',
    })
    const administrator = new Person(life, email, password)
    await administrator.signIn()
    const feedback = { type: '', content: `a${'\u0001'.repeat(9_999)}` }
    for (let i = 0; i < 300; i++) await administrator.post('/api/submit_feedback', feedback)
    const saved = { expected_version: 1, provider: 'api', api_key: { action: 'replace', value: 'key' } }
    assert.equal((await administrator.post('/api/admin/update_email_config', saved)).status, 200)
    const hook = { url: `${silent.url}/hook`, types: ['notification.published'] }
    assert.equal((await administrator.post('/api/admin/create_webhook', hook)).status, 200)

    await administrator.post('/api/admin/create_notification', { title: 'One', content: '1' })
    await new Person(life, email, '').post('/api/auth/email-otp/request-password-reset', { email })
    await silent.waiting(2)
    const clients = [
      requestOn(life, `POST /api/export_account HTTP/1.1\r\ncontent-length: 2`, administrator, '{}'),
      requestOn(life, `POST /api/submit_feedback HTTP/1.1\r\ncontent-length: 50`, administrator, '{"type":'),
    ]
    await once(clients[0] ?? assert.fail(), 'readable')
    const before = performance.now()
    life.child.kill('SIGTERM')
    const { code, stderr } = await life.output
    const seconds = (performance.now() - before) / 1000
    for (const client of clients) client.destroy()

    assert.deepEqual([code, /.*"level":"error".*/.exec(stderr)?.[0]], [0, undefined])
    // Each of the four would take ten seconds or more.
    assert.ok(seconds < 8, `${seconds}`)
  },
)

/** Takes what is sent, and never answers. */
async function silentServer() {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => socket.destroy())))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    async waiting(clients: number) {
      while (sockets.length < clients) await once(server, 'connection')
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Written by hand, because no client stops in the middle by itself. */
function requestOn({ port }: Life, head: string, { token }: Person, body: string): Socket {
  const socket = connect(port, '127.0.0.1')
  const fields = ['host: localhost', 'content-type: application/json', `authorization: Bearer ${token}`]
  socket.write([head, ...fields, '', body].join('\r\n'))
  return socket.on('error', () => socket.destroy())
}

async function waitingHashes(life: Life): Promise<number> {
  const figures = await (await life.request('/metrics')).text()
  return Number(/^\w*hash_queue (\d+)$/m.exec(figures)?.[1])
}
