import assert from 'node:assert/strict'
import { v7 as newId } from 'uuid'
import { withClient } from '../../postgres/databases.ts'
import type { Life } from '../../processes/installation.ts'
import { it } from '../../processes/it.ts'
import { grantFor } from '../../service/grants.ts'
import { startProduct } from '../../service/product.ts'
import { untilSo } from '../support/replicated.ts'

const TYPE = 'settings.saved'
const PROCESSES = 3
const ROUNDS = 24
/** The number of transactions that are open at once; the oldest commits last. */
const HELD = 4

it('three processes on PostgreSQL skip nothing and repeat nothing for a cursor, and lose nothing for a webhook, if transactions commit in another order than they wrote, also when killed', async ({
  program,
  places,
}) => {
  await using product = await startProduct()
  const place = await places.on('PostgreSQL')
  const env = { ...place, WEBHOOK_NETWORKS: '127.0.0.0/8' }
  const credentials = await program.prepare(env)
  const processes = await Promise.all(Array.from({ length: PROCESSES }, () => program.serve(env)))
  const administrator = await (processes[0] ?? assert.fail()).signedIn(credentials)
  const { tokens } = await grantFor(administrator, 'admin:events:read')
  await administrator.post('/api/admin/create_webhook', { url: product.url, types: [TYPE] })
  const reader = readerOf(processes, tokens.access_token)
  const held: ReturnType<typeof holdEvent>[] = []
  const written: string[] = []

  for (let round = 0; round < ROUNDS; round++) {
    // The newest of two commits first, while the older ones are still open.
    const next = holdEvent(place.DATABASE_URL ?? '')
    written.push(next.id)
    await next.written
    if (round % 2 === 0) held.push(next)
    else await next.commit()
    await reader.readOn()
    if (held.length > HELD) await held.splice(HELD / 2, 1)[0]?.commit()
    await reader.readOn()
    if (round % 8 !== 4) continue
    const i = 1 + (((round - 4) / 8) % 2)
    await processes[i]?.end('SIGKILL')
    processes[i] = await program.serve(env)
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

/** Follows the order through each process in turn, with one cursor. */
function readerOf(processes: readonly Life[], token: string) {
  const read: string[] = []
  let cursor: string | undefined
  let turn = 0
  return {
    read,
    async readOn() {
      const process = processes[turn++ % processes.length] ?? assert.fail()
      const answer = await process.request('/api/admin/list_events', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ after: cursor, types: [TYPE], limit: 5 }),
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
