import assert from 'node:assert/strict'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { command, freshDatabase, schemaUrl, testServer, withClient } from '../../postgres/databases.ts'
import { Installation } from '../../processes/installation.ts'
import { makePasswordsCheap } from '../../service/fakes/cheap-passwords.ts'
import { grantFor } from '../../service/grants.ts'
import { Person } from '../../service/people.ts'
import { startProduct } from '../../service/product.ts'
import { untilSo } from '../support/replicated.ts'

const SHARD = 'apac-1'
const TYPE = 'settings.saved'
const PROCESSES = 3
const ROUNDS = 24
/** How many transactions are open at once; the oldest commits last of them. */
const HELD = 4

type Process = Awaited<ReturnType<Installation['serve']>>

const cleanUps: (() => Promise<unknown>)[] = []
const installation = new Installation()
let env: Readonly<Record<string, string>>
let processes: Process[]
let token: string
let administrator: Person

beforeAll(async () => {
  const server = await testServer()
  const database = await freshDatabase(server.url)
  cleanUps.push(
    () => server.stop(),
    () => database.drop(),
    () => installation[Symbol.asyncDispose](),
  )
  await command(database.url, `create schema "${SHARD}"`)
  env = {
    DATA_DIR: installation.dataDir,
    DATABASE_URL: database.url,
    SHARDS: `${SHARD}:apac=${schemaUrl(database.url, SHARD)}`,
    WEBHOOK_NETWORKS: '127.0.0.0/8',
  }
  await makePasswordsCheap(env)
  const { stdout } = await installation.run(['prepare'], env)
  const [, email = '', password = ''] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => installation.serve(env)))
  const request = (path: string, init?: RequestInit) => fetch(`${processes[0]?.url}${path}`, init)
  administrator = new Person({ request }, email, password)
  await administrator.signIn()
  token = (await grantFor(administrator, 'admin:events:read')).tokens.access_token
})

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp()
})

/** Follows the order through each process in turn, with one cursor. */
function readerOf(types: readonly string[]) {
  const read: string[] = []
  let cursor: string | undefined
  let turn = 0
  return {
    read,
    async readOn() {
      const { url } = processes[turn++ % processes.length] ?? assert.fail()
      const answer = await fetch(`${url}/api/admin/list_events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ after: cursor, types, limit: 5 }),
      })
      const body = (await answer.json()) as { items: readonly { id: string }[]; next: string }
      assert.equal(answer.status, 200, JSON.stringify(body))
      read.push(...body.items.map(({ id }) => id))
      cursor = body.next
    },
  }
}

/** Written now and committed when the test says so; others commit in between. */
function holdEvent(url: string) {
  const id = newId()
  const written = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const committed = withClient(url, async (client) => {
    await client.query('begin')
    await client.query(
      `insert into event (id, created_at, action, details, type, data) values ($1, $2, '', '{}', $3, '{}')`,
      [id, Date.now(), TYPE],
    )
    written.resolve()
    await commit.promise
    await client.query('commit')
  })
  return {
    id,
    written: written.promise,
    commit() {
      commit.resolve()
      return committed
    },
  }
}

/** The newest of two commits first, while the older ones are still open. */
async function write(held: ReturnType<typeof holdEvent>[], round: number): Promise<string> {
  const next = holdEvent(env.DATABASE_URL ?? '')
  await next.written
  if (round % 2 === 0) held.push(next)
  else await next.commit()
  return next.id
}

async function replace(i: number): Promise<void> {
  processes[i]?.child.kill('SIGKILL')
  await processes[i]?.output
  processes[i] = await installation.serve(env)
}

describe('three processes on PostgreSQL, with transactions that commit in another order than they wrote', () => {
  it('skip nothing and repeat nothing for a cursor, and nothing is lost for a webhook, also when killed', async () => {
    await using product = await startProduct()
    await administrator.post('/api/admin/create_webhook', { url: product.url, types: [TYPE] })
    const reader = readerOf([TYPE])
    const held: ReturnType<typeof holdEvent>[] = []
    const written: string[] = []

    for (let round = 0; round < ROUNDS; round++) {
      written.push(await write(held, round))
      await reader.readOn()
      if (held.length > HELD) await held.splice(HELD / 2, 1)[0]?.commit()
      await reader.readOn()
      if (round % 8 === 4) await replace(1 + (((round - 4) / 8) % 2))
    }
    for (const late of held) {
      await late.commit()
      await reader.readOn()
    }
    await untilSo('all is read', async () => {
      await reader.readOn()
      return reader.read.length >= written.length
    })
    const sent = () => new Set(product.got.map(({ headers }) => headers['webhook-id']))
    await untilSo('all is sent', async () => written.every((id) => sent().has(id)))

    assert.deepEqual(reader.read.toSorted(), written.toSorted())
  })
})
