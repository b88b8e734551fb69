import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { ReplicatedServers } from '../../chaos/worlds/replicated.ts'
import { command, schemaUrl } from '../../postgres/databases.ts'
import { Installation, type Life } from '../../processes/installation.ts'
import { environmentOf } from '../../processes/new-stores.ts'
import type { Person } from '../../service/people.ts'
import { untilSo } from '../support/replicated.ts'

const SHARD = 'apac-1'
const installation = new Installation()
let servers: ReplicatedServers
let processes: readonly [Life, Life]
let administrator: Person
let ann: Person

beforeAll(async () => {
  servers = await ReplicatedServers.start()
  await command(servers.primary.url(), `create schema "${SHARD}"`)
  // Both reach the primary through a wire: the address stays when another server has it.
  const url = servers.primaryWire.through(servers.primary.url())
  const env = environmentOf([SHARD], (id) => schemaUrl(url, id), url)
  const credentials = await installation.prepare(env)
  processes = await Promise.all([installation.serve(env), installation.serve(env)])
  administrator = await processes[0].signedIn(credentials)
  ann = await processes[0].signedUp('ann')
})

afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  await servers.stop()
})

describe('checklist 83: after a replica without the last writes was promoted', () => {
  it('no process shows what was lost, not even after as much was written again', async () => {
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
      const asked = await Promise.all(processes.map((process) => process.request('/readyz?all')))
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
  const notification = { title, content: 'Read this.' }
  const { status } = await administrator.post('/api/admin/create_notification', notification)
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

/** Reads through each process, for browsers that had their bookmarks before. */
async function seen() {
  const [models, titles]: [string[], string[]] = [[], []]
  for (const process of processes) {
    models.push((await process.meets(administrator).post('/api/admin/get_ai_config')).body.model)
    const { body } = await process.meets(ann).post('/api/list_notifications')
    titles.push(body.items.map(({ title }: { title: string }) => title).join())
  }
  return { models, titles }
}
