import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { ReplicatedServers } from '../../chaos/worlds/replicated.ts'
import { command, schemaUrl } from '../../postgres/databases.ts'
import { Installation } from '../../processes/installation.ts'
import { makePasswordsCheap } from '../../service/fakes/cheap-passwords.ts'
import { Person } from '../../service/people.ts'
import { elsewhere, type ServingProcess } from '../support/processes.ts'
import { untilSo } from '../support/replicated.ts'

const SHARD = 'apac-1'
const cleanUps: (() => Promise<unknown>)[] = []
let servers: ReplicatedServers
let processes: readonly ServingProcess[]
let administrator: Person
let ann: Person

beforeAll(async () => {
  servers = await ReplicatedServers.start()
  const installation = new Installation()
  cleanUps.push(
    () => servers.stop(),
    () => installation[Symbol.asyncDispose](),
  )
  await command(servers.primary.url(), `create schema "${SHARD}"`)
  // Both reach the primary through a wire: the address stays when another server has it.
  const url = servers.primaryWire.through(servers.primary.url())
  const env = { DATABASE_URL: url, SHARDS: `${SHARD}:apac=${schemaUrl(url, SHARD)}` }
  await makePasswordsCheap({ DATA_DIR: installation.dataDir, ...env })
  const { stdout } = await installation.run(['prepare'], env)
  const [, email = '', password = ''] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
  processes = await Promise.all(
    [1, 2].map(async () => {
      const { url: at } = await installation.serve(env)
      return { url: at, request: (path: string, init?: RequestInit) => fetch(`${at}${path}`, init) }
    }),
  )
  const [first] = processes
  assert.ok(first)
  administrator = new Person(first, email, password)
  await administrator.signIn()
  ann = new Person(first, 'ann@example.com', 'a raft of seven logs')
  await ann.signUp()
})

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp()
})

describe('checklist 83: after a replica without the last writes was promoted', () => {
  it('no process shows what was lost, not even once as much was written again', async () => {
    await saves('kept')
    await publish('kept')
    const followed = await follow()
    await followed.until('kept')

    await servers.promoteWithLoss(async () => {
      await saves('lost')
      await publish('lost')
      assert.deepEqual(await seen(), { models: ['lost', 'lost'], titles: ['lost,kept', 'lost,kept'] })
      await followed.until('lost')
    })
    await untilSo('both reach the new primary', async () => {
      const asked = await Promise.all(processes.map(({ url }) => fetch(`${url}/readyz`)))
      return asked.every(({ ok }) => ok)
    })

    assert.deepEqual(await seen(), { models: ['kept', 'kept'], titles: ['kept', 'kept'] })
    await saves('new')
    await publish('new')
    assert.deepEqual(await seen(), { models: ['new', 'new'], titles: ['new,kept', 'new,kept'] })
    await followed.until('new')
    assert.deepEqual(followed.titles, ['kept', 'lost', 'new'], 'a cursor passes over nothing that came later')
  })
})

async function saves(model: string): Promise<void> {
  await administrator.saveSettings('ai', { model })
}

async function publish(title: string): Promise<void> {
  const { status } = await administrator.post('/api/admin/create_notification', {
    title,
    content: 'Read this.',
  })
  assert.equal(status, 200)
}

/** Reads events as a product does that already has the lost one. */
async function follow() {
  let cursor: string | undefined
  const titles: string[] = []
  const readOn = async () => {
    const { status, body } = await administrator.post('/api/admin/list_events', {
      after: cursor,
      types: ['notification.published'],
    })
    assert.equal(status, 200)
    cursor = body.next
    titles.push(...body.items.map(({ data }: { data: { title: string } }) => data.title))
  }
  return {
    titles,
    until: (title: string) =>
      untilSo(`${title} is an event`, async () => {
        await readOn()
        return titles.includes(title)
      }),
  }
}

/** By each process, for browsers that had their bookmarks before. */
async function seen() {
  const models = await Promise.all(
    processes.map(async (process) => {
      const { body } = await elsewhere(administrator, process).post('/api/admin/get_ai_config')
      return body.model
    }),
  )
  const titles = await Promise.all(
    processes.map(async (process) => {
      const { body } = await elsewhere(ann, process).post('/api/list_notifications')
      return body.items.map(({ title }: { title: string }) => title).join()
    }),
  )
  return { models, titles }
}
