import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { Installation } from '../processes/installation.ts'
import { describe, it } from '../running/node-test.ts'
import { makePasswordsCheap } from '../service/fakes/cheap-passwords.ts'
import { send, Visitor } from '../service/wire/visitor.ts'
import { CHANGES, interfere } from './support/strace.ts'

const SHARD = 'apac-1'
const ATTEMPTS = 20

describe('a file system that becomes read-only under a running process', () => {
  it('is a 503 for writes, leaves reads alone, corrupts nothing and ends by itself', async (t) => {
    await using program = new Installation()
    await makePasswordsCheap({ DATA_DIR: program.dataDir })
    const { child, url, output } = await program.serve()
    const ann = await Visitor.signedUp(url, 'ann@example.com')
    const acknowledged = [await ann.post('/api/submit_feedback', FEEDBACK)]
    const everything = { folder: program.dataDir, names: ['meta', SHARD] }

    const readOnly = await interfere(child, everything, `${CHANGES}:error=EROFS`)
    if (!readOnly) return t.skip('no strace here, or nobody may trace a process')
    const refused = []
    for (let i = 0; i < ATTEMPTS; i++) refused.push(await ann.post('/api/submit_feedback', FEEDBACK))
    refused.push(await send(`${url}/api/auth/sign-up/email`, BEN))
    refused.push(await ann.post('/api/auth/sign-out'))
    const reads = [
      await whoIs(url, ann),
      (await ann.post('/api/list_notifications')).status,
      (await ann.post('/api/get_credit_summary')).status,
      (await fetch(`${url}/healthz`)).status,
    ]
    // Its statement finds no row, so that its commit has nothing to write and succeeds.
    const idle = await ann.post('/api/auth/two-factor/revoke-trusted-device', { id: 'unknown' })
    const health = await ready(url)
    await readOnly.detach()

    const recovered = await ready(url)
    for (let i = 0; i < ATTEMPTS; i++) acknowledged.push(await ann.post('/api/submit_feedback', FEEDBACK))
    const ben = await send(`${url}/api/auth/sign-up/email`, BEN)
    child.kill('SIGTERM')
    const { code } = await output

    for (const { status, body, headers } of refused)
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'STORE_UNAVAILABLE', '2'])
    assert.deepEqual(reads, ['ann@example.com', 200, 200, 200])
    assert.equal(idle.status, 404)
    assert.equal(health.status, 503)
    assert.deepEqual(
      [health.stores.meta, health.stores[SHARD], health.stores['oc-1']],
      ['read-only', 'read-only', 'up'],
    )
    assert.deepEqual([recovered.status, new Set(Object.values(recovered.stores))], [200, new Set(['up'])])
    assert.deepEqual([ben.status, code], [200, 0])
    const ids = acknowledged.map(({ status, body }) => {
      assert.equal(status, 200)
      return body.id
    })
    assert.deepEqual(feedbackIds(program), ids.toSorted())
    for (const name of ['meta', SHARD]) assert.equal(integrityOf(program, name), 'ok')
  })
})

const FEEDBACK = { type: 'idea', content: 'x'.repeat(5_000) }
const BEN = { email: 'ben@example.com', name: 'ben', password: 'a raft of seven logs' }

async function whoIs(url: string, { token }: Visitor): Promise<string> {
  const response = await fetch(`${url}/api/auth/get-session`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { user } = JSON.parse(await response.text())
  return user.email
}

async function ready(url: string) {
  const response = await fetch(`${url}/readyz`)
  const { stores }: { stores: Record<string, string> } = JSON.parse(await response.text())
  return { status: response.status, stores }
}

function integrityOf(program: Installation, name: string): unknown {
  return rows(program, name, 'pragma integrity_check')[0]?.integrity_check
}

function feedbackIds(program: Installation): readonly unknown[] {
  return rows(program, SHARD, 'select id from feedbacks order by id').map(({ id }) => id)
}

function rows({ dataDir }: Installation, name: string, query: string) {
  const database = new DatabaseSync(`${dataDir}/${name}.sqlite`, { readOnly: true })
  const found = database.prepare(query).all()
  database.close()
  return found
}
