import assert from 'node:assert/strict'
import { readConfig } from '../../src/config/config.ts'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { prepareStores } from '../../src/prepare.ts'
import { freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { migratedTemplate } from '../postgres/template.ts'
import { Installation } from '../processes/installation.ts'
import { after, before, describe, it } from '../running/node-test.ts'
import { Visitor } from '../service/wire/visitor.ts'
import { interfere } from './support/strace.ts'
import { wireTo } from './support/wire.ts'

type Env = Readonly<Record<string, string>>

const SHARD = 'apac-1'
const EMAIL = 'ann@example.com'

describe('checklist 99: a process that is killed between a write with a key and its answer', () => {
  it('SQLite: the write is done, and the same request again gets its answer', async (t) => {
    await using program = new Installation()
    await prepareCheaply({ DATA_DIR: program.dataDir })
    const first = await program.serve()
    const ann = await Visitor.signedUp(first.url, EMAIL)
    // The commit is written by now, and flushed next.
    const killed = await interfere(
      first.child,
      { folder: program.dataDir, names: [SHARD] },
      'fsync,fdatasync:signal=KILL',
    )
    if (!killed) return t.skip('no strace here, or nobody may trace a process')

    const lost = await submit(ann).catch(() => undefined)
    await killed.drop()
    first.child.kill('SIGKILL')
    await first.output

    assert.equal(lost, undefined, 'it was answered')
    await checkRepeated(await program.serve(), { DATA_DIR: program.dataDir })
  })

  describe('PostgreSQL', () => {
    let server: Awaited<ReturnType<typeof testServer>>
    before(async () => {
      server = await testServer()
    })
    after(() => server.stop())

    it('the write is done, and the same request again gets its answer', async () => {
      await using program = new Installation()
      const database = await freshDatabase(server.url, await migratedTemplate(server.url, [SHARD]))
      await using wire = await wireTo(Number(new URL(database.url).port))
      const shard = schemaUrl(database.url, SHARD)
      const env = { DATABASE_URL: database.url, SHARDS: `${SHARD}:apac=${shard}` }
      await prepareCheaply({ DATA_DIR: program.dataDir, ...env })
      const first = await program.serve({ ...env, SHARDS: `${SHARD}:apac=${wire.through(shard)}` })
      const ann = await Visitor.signedUp(first.url, EMAIL)

      const committed = wire.unanswered('Hello')
      const lost = submit(ann).catch(() => undefined)
      await committed
      first.child.kill('SIGKILL')
      await first.output

      assert.equal(await lost, undefined, 'it was answered')
      const next = await program.serve(env)
      await checkRepeated(next, { DATA_DIR: program.dataDir, ...env })
      next.child.kill('SIGTERM')
      await next.output
      await database.drop()
    })
  })
})

function submit(ann: Visitor) {
  return ann.post('/api/submit_feedback', { type: 'idea', content: 'Hello' }, { 'idempotency-key': 'a key' })
}

async function checkRepeated({ url }: { readonly url: string }, env: Env): Promise<void> {
  const before = await feedbackIds(env)
  const answers = []
  const ann = await Visitor.signedIn(url, EMAIL)
  for (const _ of [1, 2]) answers.push(await submit(ann))

  assert.equal(before.length, 1, 'nobody was killed in between')
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.id]),
    [1, 2].map(() => [200, before[0]]),
  )
  assert.deepEqual(await feedbackIds(env), before)
}

async function feedbackIds(env: Env): Promise<readonly string[]> {
  const stores = await openStores(readConfig(env))
  const rows = await stores.shards.get(SHARD)?.selectFrom('feedbacks').select('id').execute()
  await closeStores(stores)
  return rows?.map(({ id }) => id) ?? []
}

async function prepareCheaply(env: Env): Promise<void> {
  const config = readConfig(env)
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, 1)
  await closeStores(stores)
}
