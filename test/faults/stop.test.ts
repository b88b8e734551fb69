import assert from 'node:assert/strict'
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
    // What comes later is answered, so both have begun.
    for (let i = 0; i < 3; i++) await administrator.get('/api/auth/get-session')
    life.child.kill('SIGTERM')
    const answers = await Promise.all(waiting)
    while ((await live.block()) !== undefined);
    const { code, stderr } = await life.output

    assert.deepEqual([code, /.*"level":"error".*/.exec(stderr)?.[0]], [0, undefined])
    assert.deepEqual(statuses(answers), [200, 200])
  },
)

async function waitingHashes(life: Life): Promise<number> {
  const figures = await (await life.request('/metrics')).text()
  return Number(/^\w*hash_queue (\d+)$/m.exec(figures)?.[1])
}
