import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe } from 'vitest'
import { freePort } from '../processes/free-port.ts'
import { ENGINES, it } from '../processes/it.ts'
import { findRedisServer, startRedis, type TestRedis } from '../processes/redis.ts'
import { plainOf } from '../processes/terminal/plain-text.ts'
import { Person } from '../service/people.ts'
import { untilSo } from './support/replicated.ts'

const redis = findRedisServer()

describe('a start', () => {
  const taken = ENGINES.flatMap((engine) => ['PORT', 'METRICS_PORT'].map((name) => [name, engine] as const))
  it.for(taken)(
    'with a %s that another program has, on %s: the process ends and says so, and shows the password',
    async ([name, engine], { program, places }) => {
      const port = await freePort()
      await using other = createServer().listen(port, '127.0.0.1')
      await once(other, 'listening')
      const stores = engine === 'SQLite' ? {} : await places.empty('apac-1')
      const env = { ...stores, PORT: String(await freePort()), [name]: String(port) }

      const { code, stdout, stderr } = await program.run(['serve'], env)

      assert.equal(code, 1)
      assert.match(stdout, /^Administrator: admin@example\.com\nPassword: \S{20,}\n$/)
      assert.equal(
        plainOf(stderr),
        `gatehouse: port ${port} is in use by another program; stop it, or set another PORT or METRICS_PORT\n`,
      )
    },
  )

  it('with a folder in place of the command socket serves, and says that it accepts no commands', async ({
    program,
  }) => {
    mkdirSync(join(program.dataDir, 'orders.sock', 'folder'), { recursive: true })

    const life = await program.serve({ METRICS_PORT: String(await freePort()) })
    const { status } = await life.request('/readyz')
    const { code, stderr } = await life.end()

    assert.deepEqual([status, code], [200, 0])
    assert.match(stderr, /accepts no commands to move users/)
  })

  it.skipIf(redis === undefined)(
    'that cannot make the administrator ends and says so, also with a key-value store (needs redis or valkey)',
    async ({ program }) => {
      await using stack = new AsyncDisposableStack()
      const keyValue = stack.adopt(await startRedis(redis ?? ''), (started) => started.stop())
      await program.run(['prepare'])
      // The next start has to make an administrator, and has no shard for one.
      program.alter('meta', `delete from "user"; update shards set state = 'draining'`)

      const env = { PORT: String(await freePort()), KV_URL: keyValue.url }
      const { code, stderr } = await program.run(['serve'], env)

      assert.equal(code, 1)
      assert.match(stderr, /store shard is not available/)
    },
  )
})

describe.skipIf(redis === undefined)('a start while Redis does not serve (needs redis or valkey)', () => {
  const states = [
    [
      'is away',
      (server: TestRedis) => server.kill(),
      (server: TestRedis) => server.start(),
      /: nothing listens there; is the server running\?$/,
    ],
    [
      'hangs',
      async (server: TestRedis) => server.signal('SIGSTOP'),
      async (server: TestRedis) => server.signal('SIGCONT'),
      /: it does not respond$/,
    ],
    [
      'still loads its data',
      async (server: TestRedis) => {
        await server.kill()
        await server.startLoading(4)
      },
      async () => undefined,
      /: it (does not respond$|accepts connections, but does not serve yet)/i,
    ],
  ] as const

  it.for(states)(
    'because it %s: serves what needs no counts, says so once, and heals',
    async ([, hinder, mend, means], { program }) => {
      await using stack = new AsyncDisposableStack()
      const server = stack.adopt(await startRedis(redis ?? ''), (started) => started.stop())
      await hinder(server)

      const life = await program.serve({ KV_URL: server.url, LOG_FORMAT: 'json' })
      const ready = await life.request('/readyz')
      const ann = new Person(life, 'ann@example.com', 'a long walk in the rain')
      const refused = await ann.signUp()
      await mend(server)
      await untilSo('a sign-up is counted', async () => (await ann.signUp()).status === 200)
      const whole = JSON.parse(await (await life.request('/readyz')).text())
      const { stderr } = await life.end()

      const { status, stores } = JSON.parse(await ready.text())
      assert.deepEqual([ready.status, status, stores['key-value']], [200, 'degraded', 'down'])
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2'])
      assert.equal(whole.status, 'up')
      const begins = stderr.split('\n').filter((line) => /key-value at \S+ is not available/.test(line))
      assert.equal(begins.length, 1, stderr)
      const { at, msg } = JSON.parse(begins[0] ?? '{}')
      assert.equal(at, new URL(server.url).host)
      assert.match(msg, means)
    },
  )
})

describe('a connection that sends its header letter by letter', () => {
  it('is closed, and delays no other', async ({ program }) => {
    const life = await program.serve()
    const drips = Array.from({ length: 50 }, () => dripping(life.port))

    const health = await life.request('/api/health')
    // Each continues for as long as the server lets it.
    const answers = await Promise.all(drips)

    assert.equal(health.status, 200)
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 408 /)
  })
})

/** Sends without an end, and returns what the server answered when it had enough. */
async function dripping(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  socket.write('GET /api/health HTTP/1.1\r\nhost: localhost\r\nx-drip: ')
  const drip = setInterval(() => socket.write('.'), 500)
  await once(socket, 'close')
  clearInterval(drip)
  return answer
}
