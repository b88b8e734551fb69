import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { faketime, offset } from '../chaos/worlds/service-process.ts'
import { untilSo } from '../faults/support/replicated.ts'
import { canMount, empty, fillUp } from '../faults/support/small-disk.ts'
import { RELEASES } from '../fixtures/lived-in.ts'
import { oldInstallation } from '../fixtures/old-program.ts'
import { BALANCERS, canBalance, startBalancing } from '../journeys/proxies/balancing.ts'
import { restartEach } from '../journeys/proxies/rolling-restart.ts'
import { freePort } from '../processes/free-port.ts'
import { type Env, Installation, type Life } from '../processes/installation.ts'
import { findRedisServer, startRedis, type TestRedis } from '../processes/redis.ts'
import { Person } from '../service/people.ts'
import { startReceiver } from '../service/receiver.ts'
import { type Asked, ask, type Credentials } from './asking.ts'
import { type Cluster, type Database, missing, SHARDS, startCluster } from './cluster.ts'
import { impatient, Writers } from './writers.ts'

/** The value in deploy/ha/patroni.yml: how long a silent primary keeps its place. */
const TTL_SECONDS = 20
/** Longer than a delivery waits for its response. */
const HANGS_MILLISECONDS = 15_000
const FULL = / is (not available: its disk is full, so it accepts no writes|available again)$/
const POLLERS = 6
const POLLS = 20
const PEOPLE = ['ann', 'ben', 'cara', 'dora']

describe.skipIf(missing.length > 0)(`more than one machine (needs ${missing.join(', ') || 'nothing else'})`, () => {
  const resources = new AsyncDisposableStack()
  let cluster: Cluster
  let redis: TestRedis
  let installation: Installation
  let env: Env
  let members: readonly Life[]
  let writers: Writers
  let administrator: Person
  let person: Person
  /** The processes' log lines about their stores. */
  const logged: string[] = []

  beforeAll(async () => {
    cluster = await startCluster(resources)
    redis = resources.adopt(await startRedis(findRedisServer() ?? ''), (one) => one.stop())
    installation = resources.use(new Installation())
    const own = {
      TRUSTED_PROXIES: '127.0.0.1',
      DRAIN_SECONDS: '2',
      USER_LIMIT_FACTOR: '1000',
      WEBHOOK_NETWORKS: '127.0.0.1/32',
      LOG_FORMAT: 'json',
    }
    env = { ...cluster.env, ...own, KV_URL: redis.url }
    const credentials = await installation.prepare(env)
    members = await Promise.all([await freePort(), await freePort()].map((port) => serve(port)))
    for (const { child } of members)
      if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => logged.push(...faultIn(line)))
    const { url } = resources.use(
      await startBalancing(
        'haproxy',
        members.map(({ port }) => port),
      ),
    )
    const address = impatient(url)
    administrator = new Person(address, credentials.email, credentials.password)
    await administrator.signIn()
    const people = PEOPLE.map((name) => new Person(address, `${name}@example.com`, 'a raft of seven logs'))
    for (const one of people) assert.equal((await one.signUp()).status, 200)
    person = people[0] ?? assert.fail()
    writers = new Writers(administrator, people)
  })

  afterAll(async () => {
    await writers?.stop()
    await resources.disposeAsync()
  })

  const serve = (port: number, further: Env = {}) => installation.serve({ ...env, ...further, PORT: String(port) })

  /**
   * Acts under load, until writes are acknowledged again, which takes no longer than promised; the figures are for
   * docs/operations.md.
   */
  async function under(what: string, act: () => Promise<void>, longestSeconds?: number, says = /./): Promise<void> {
    await writers.more(20)
    writers.begin()
    await act()
    await writers.more(50)
    const { acknowledged, secondsWithout, refused } = writers.period()
    const without = `${secondsWithout.meta} s (global store), ${secondsWithout.shard} s (shard)`
    say(`${what}: ${acknowledged} writes, none for ${without}; refused: ${JSON.stringify(refused)}`)
    for (const line of logged.splice(0)) {
      say(`  ${line}`)
      assert.match(line, says)
      // A server that Patroni manages is never promoted by hand.
      if (line.includes(':5432')) assert.doesNotMatch(line, /promote/)
    }
    await assertNothingLostOrDoubled()
    if (longestSeconds !== undefined)
      for (const seconds of Object.values(secondsWithout)) assert.ok(seconds <= longestSeconds, `${seconds}`)
  }

  async function assertNothingLostOrDoubled(): Promise<void> {
    const { meta, shard } = writers.acknowledged
    const acknowledged = { meta: [...meta], shard: [...shard] }
    const kept = {
      meta: await idsOf(['meta'], 'notifications'),
      shard: await idsOf(SHARDS, 'feedbacks'),
    }
    const lost = (store: 'meta' | 'shard') => acknowledged[store].filter((id) => !kept[store].has(id))
    assert.deepEqual([lost('meta'), lost('shard')], [[], []])
  }

  /** Each of the writes has a content of its own. */
  async function idsOf(databases: readonly Database[], table: string): Promise<ReadonlySet<unknown>> {
    const query = `select id, content from ${table}`
    const rows = (await Promise.all(databases.map((database) => cluster.rows(database, query)))).flat()
    assert.equal(new Set(rows.map(({ content }) => content)).size, rows.length)
    return new Set(rows.map(({ id }) => id))
  }

  /** Reads the signs that a balancer and the rules in deploy/alerts.yml use. */
  async function shows(store: string, state: 'down' | 'degraded', ready: number): Promise<void> {
    const member = members[0] ?? assert.fail()
    await untilSo(`${store} is shown as ${state}`, async () => {
      const response = await member.request('/readyz')
      const { stores } = JSON.parse(await response.text())
      return response.status === ready && stores[store] === state
    })
    const figures = await (await member.request('/metrics')).text()
    assert.match(figures, new RegExp(`^gatehouse_store_up\\{store="${store}"\\} 0$`, 'm'))
  }

  it('no port of the cluster opens to strangers, and a reader changes nothing', async () => {
    const { host } = await cluster.primary()
    const { ca } = cluster.reader
    const asked = (url: string, credentials: Credentials, options: Asked = {}) =>
      ask(url, credentials, options).then(
        ({ status }) => status,
        () => 'no answer',
      )
    const change: Asked = { method: 'PATCH', body: { ttl: 30 } }
    const key: Asked = { method: 'POST', body: { key: btoa('/service/gatehouse/config') } }

    assert.equal(await asked(`https://${host}:8008/primary`, { ca }), 'no answer')
    assert.equal(await asked(`https://${host}:8008/primary`, cluster.reader), 200)
    assert.equal(await asked(`https://${host}:8008/config`, cluster.reader, change), 401)
    assert.equal(await asked(`https://${host}:2379/version`, { ca }), 'no answer')
    assert.notEqual(await asked(`https://${host}:2379/v3/kv/range`, cluster.reader, key), 200)
    assert.equal(await asked(`https://${host}:2380/members`, cluster.reader), 'no answer')
    await assert.rejects(cluster.rowsOf('sslmode=disable'), /no encryption/)
  })

  it('a planned switchover', () => under('switchover', () => cluster.switchOver(), 4))

  it('a receiver of webhooks and hooks that hangs, and answers again', async () => {
    await using receiver = await startReceiver(administrator)
    receiver.answers(() => undefined)
    await receiver.turnOn('before_sign_in')
    const hook = { url: receiver.product.url, types: ['notification.published'] }
    const { body } = await administrator.post('/api/admin/create_webhook', hook)
    const before = new Set(writers.acknowledged.meta)
    const signIn = () => new Person(impatientAt(), person.email, person.password).signIn()
    const taken: string[] = []

    await under(
      'receiver hangs',
      async () => {
        const refused = await signIn()
        await writers.during(HANGS_MILLISECONDS)
        receiver.product.behaviour.answer = (_, response, asked) => {
          const { type, data } = JSON.parse(asked)
          if (type === 'notification.published') taken.push(data.id)
          response.end('{"allow":true}')
        }
        await untilSo('sign-ins are let in', async () => (await signIn()).status === 200)
        const published = [...writers.acknowledged.meta].filter((id) => !before.has(id))
        await untilSo('the webhook has every notification', async () => {
          const all = new Set(taken)
          return published.every((id) => all.has(id))
        })
        assert.equal(refused.body.code, 'HOOK_UNAVAILABLE')
      },
      4,
    )

    assert.equal(new Set(taken).size, taken.length)
    await administrator.post('/api/admin/delete_webhook', { id: body.id })
    await receiver.turnOn('before_sign_in', { enabled: false })
  })

  it.skipIf(!canMount)('a full disk of the primary, for six who ask whether a process is ready', async () => {
    await cluster.whole()
    const { disk = assert.fail(), name } = await cluster.primary()
    const act = async () => {
      fillUp(disk)
      await writers.quiet(500)
      await shows('meta', 'degraded', 503)
      const polling = Array.from({ length: POLLERS }, async () => {
        const found = []
        for (let i = 0; i < POLLS; i++) found.push((await members[0]?.request('/readyz'))?.status)
        return found
      })
      for (const status of (await Promise.all(polling)).flat()) assert.equal(status, 503)
      empty(disk)
    }
    await under('full disk', act, undefined, FULL)
    await cluster.whole()

    assert.equal((await cluster.primary()).name, name)
  })

  it('a killed primary, which comes back', async () => {
    await cluster.whole()
    const primary = await cluster.primary()
    const act = async () => {
      await primary.kill()
      await writers.quiet(500)
    }
    await under('killed primary', act, TTL_SECONDS + 3)
    primary.patroni.start()
    await cluster.whole()
  })

  it('a killed synchronous standby, which comes back', async () => {
    await cluster.whole()
    const standby = await cluster.standby('sync_standby')
    await under('killed standby', () => standby.kill())
    standby.patroni.start()
    await cluster.whole()
  })

  it('a frozen primary, which goes on after its successor', async () => {
    await cluster.whole()
    const primary = await cluster.primary()
    await under('frozen primary', async () => {
      primary.signal('SIGSTOP')
      await writers.quiet(500)
      await writers.more(1)
      primary.signal('SIGCONT')
    })
    await cluster.whole()
    await assertNothingLostOrDoubled()
  })

  it('a killed PostgreSQL, which Patroni starts again in its place', async () => {
    await cluster.whole()
    const primary = await cluster.primary()
    await under('killed PostgreSQL', async () => {
      primary.killServer()
      await writers.quiet(500)
    })
    await cluster.whole()

    assert.equal((await cluster.primary()).name, primary.name)
  })

  it('a frozen HAProxy, which goes on', () =>
    under('frozen HAProxy', async () => {
      cluster.haproxy.signal('SIGSTOP')
      await shows('apac-1', 'down', 200)
      cluster.haproxy.signal('SIGCONT')
    }))

  it('a process that is stopped for a minute', () =>
    under('process stopped for a minute', async () => {
      members[1]?.child.kill('SIGSTOP')
      await writers.during(60_000)
      members[1]?.child.kill('SIGCONT')
    }))

  it('all servers, gone for two minutes', async () => {
    await cluster.whole()
    await under('all servers gone for two minutes', async () => {
      for (const machine of cluster.machines) await machine.kill()
      await writers.quiet(120_000)
      await shows('meta', 'down', 503)
      for (const { patroni } of cluster.machines) patroni.start()
    })
    await cluster.whole()
  })

  it('etcd that is gone for a while', async () => {
    await cluster.whole()
    const twoOfThree = cluster.machines.slice(1)
    await under('etcd gone', async () => {
      for (const { etcd } of twoOfThree) await etcd.end('SIGKILL')
      await writers.quiet(2_000)
      await shows('meta', 'down', 503)
      for (const { etcd } of twoOfThree) etcd.start()
    })
    await cluster.whole()
  })

  it('Redis that is gone, and comes back empty', () =>
    under('Redis gone, back empty', async () => {
      await redis.kill()
      const whoWrites = writers.more(20)
      const refused = await new Person(impatientAt(), person.email, person.password).signIn()
      await whoWrites
      await shows('key-value', 'down', 200)
      await redis.start()
      await untilSo('sign-ins are counted again', async () => {
        const { status } = await new Person(impatientAt(), person.email, person.password).signIn()
        return status === 200
      })
      assert.equal(refused.status, 503)
    }))

  it('PgBouncer that is restarted', () =>
    under('PgBouncer restarted', async () => {
      // As its unit does it: newer ones wait at SIGTERM until no client is connected.
      await cluster.pgbouncer.end('SIGINT')
      cluster.pgbouncer.start()
    }))

  const impatientAt = () => impatient(members[0]?.url ?? '')

  it.skipIf(faketime === undefined)('a process whose clock is three minutes off (needs faketime)', () =>
    under('clock three minutes off', async () => {
      // Ahead: the certificates may be younger than three minutes.
      const ahead = await serve(await freePort(), offset(180))
      const ann = ahead.meets(person)
      const written = await ann.post('/api/submit_feedback', { type: 'load', content: 'From the future' })
      await untilSo('it is shown how far its clock is off', async () => {
        const figures = await (await ahead.request('/metrics')).text()
        const [, seconds] = /^gatehouse_clock_offset_seconds\{store="meta"\} (\S+)/m.exec(figures) ?? []
        return Math.abs(Math.abs(Number(seconds)) - 180) < 5
      })
      const { stderr } = await ahead.end()

      assert.equal(written.status, 200)
      assert.match(stderr, /clock/)
    }),
  )

  for (const name of BALANCERS)
    it.skipIf(!canBalance(name))(`a rolling restart behind ${name} (needs ${name})`, async () => {
      const requests = await restartEach(name, installation, env)
      say(`rolling restart behind ${name}: ${requests} requests, none refused`)
    })

  it.skipIf(!canBalance('haproxy'))('a rolling restart with 700 open pages (needs haproxy)', async () => {
    const requests = await restartEach('haproxy', installation, env, { pagesOf: 100 })
    say(`rolling restart with 700 open pages: ${requests} requests, no page refused`)
  })

  for (const release of RELEASES)
    for (const name of BALANCERS)
      it.skipIf(!canBalance(name))(`a rolling upgrade from ${release} behind ${name} (needs ${name})`, async () => {
        await using opened = new AsyncDisposableStack()
        const old = oldInstallation(opened, release)
        const next = opened.use(new Installation())
        const stores = await cluster.newStores(`${name}_${release.replaceAll('.', '_')}`)
        await old.run(['prepare'], { ...env, ...stores, DATA_DIR: next.dataDir })

        const requests = await restartEach(name, next, { ...env, ...stores }, { before: old })

        say(`rolling upgrade from ${release} behind ${name}: ${requests} requests, none refused`)
      })
})

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function faultIn(line: string): readonly string[] {
  const { msg } = line.startsWith('{') ? JSON.parse(line) : {}
  return /available/.test(msg) ? [msg] : []
}
