import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { untilSo } from '../../faults/support/replicated.ts'
import { startHttpServer } from '../../processes/http-server.ts'
import { canBalance, startBalancing } from './balancing.ts'

const READY = /^\/readyz$/
const ok = { body: 'An answer' }
/** The time for which HAProxy waits for a response is twelve times as long as one check. */
const CHECKS_AT_MOST = 4

/** One that answers, and one that holds each act until it is told to answer, and answers checks as it is told to. */
async function twoProcesses() {
  const held = Promise.withResolvers<void>()
  let ready: 200 | 503 | 'frozen' = 200
  const other = await startHttpServer(() => ok)
  const one = await startHttpServer(({ path }) => {
    if (ready === 'frozen') return undefined
    return READY.test(path) ? { status: ready, body: {} } : held.promise.then(() => ok)
  })
  return {
    one,
    other,
    say(words: typeof ready) {
      ready = words
    },
    answer: () => held.resolve(),
    checks: () => one.heard.filter(({ path }) => READY.test(path)).length,
    ports: [one, other].map(({ url }) => Number(new URL(url).port)),
    async [Symbol.asyncDispose]() {
      await Promise.all([one.stop(), other.stop()])
    },
  }
}

describe('two processes behind haproxy as deploy/ha has it', () => {
  const begun = async ({ request }: Pick<Awaited<ReturnType<typeof startBalancing>>, 'request'>) => {
    const answers = await Promise.all([0, 1].map((i) => request('/act', { method: 'POST', body: String(i) })))
    return answers.map(({ status }) => status)
  }

  it.skipIf(!canBalance('haproxy'))(
    'requests of a frozen process end once its checks have failed, not half a minute later (needs haproxy)',
    async () => {
      await using processes = await twoProcesses()
      await using proxy = await startBalancing('haproxy', processes.ports)
      const ended = begun(proxy)
      await untilSo('an act waits', async () => processes.one.heard.some(({ path }) => path === '/act'))
      const before = processes.checks()

      processes.say('frozen')
      const statuses = await ended

      assert.equal(statuses.filter((status) => status >= 500).length, 1)
      assert.ok(processes.checks() - before <= CHECKS_AT_MOST, `${processes.checks() - before} checks`)
    },
  )

  it.skipIf(!canBalance('haproxy'))(
    'a process that is about to stop finishes the requests it has, and gets no new ones (needs haproxy)',
    async () => {
      await using processes = await twoProcesses()
      await using proxy = await startBalancing('haproxy', processes.ports)
      const ended = begun(proxy)
      await untilSo('an act waits', async () => processes.one.heard.some(({ path }) => path === '/act'))

      processes.say(503)
      const before = processes.checks()
      await untilSo('it was checked', async () => processes.checks() >= before + CHECKS_AT_MOST)
      const more = await Promise.all([0, 1, 2, 3].map(() => proxy.request('/more', { method: 'POST' })))
      processes.answer()

      assert.deepEqual(await ended, [200, 200])
      assert.deepEqual(
        more.map(({ status }) => status),
        [200, 200, 200, 200],
      )
      assert.equal(
        processes.one.heard.some(({ path }) => path === '/more'),
        false,
      )
    },
  )
})
