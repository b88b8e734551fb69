import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { untilSo } from '../../faults/support/replicated.ts'
import { freePort } from '../../processes/free-port.ts'
import { startHttpServer } from '../../processes/http-server.ts'
import { BALANCERS, canBalance, startBalancing } from './balancing.ts'

/** One a second, and each is given up after two. */
const CHECKS = 5

describe('two processes behind a proxy as deploy/ha has it', () => {
  for (const name of BALANCERS)
    it.skipIf(!canBalance(name))(
      `${name} asks a process that is too busy for its checks while the other one restarts (needs ${name})`,
      async () => {
        const busy = await startHttpServer(({ path }) =>
          /^\/(readyz|healthz)$/.test(path) ? undefined : { body: 'An answer' },
        )
        const closed = await freePort()
        await using proxy = await startBalancing(name, [closed, Number(new URL(busy.url).port)])
        const heard = (wanted: string) => busy.heard.filter(({ path }) => path === wanted)
        if (name !== 'nginx') await untilSo('checks fail', async () => heard('/readyz').length >= CHECKS)

        const send = (body: string) => proxy.request('/act', { method: 'POST', body })
        const answers = await Promise.all([...['one', 'two', 'three'].map(send), proxy.request('/')])
        await busy.stop()

        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200, 200],
          proxy.said(),
        )
        assert.deepEqual(
          heard('/act')
            .map(({ body }) => body)
            .toSorted(),
          ['one', 'three', 'two'],
        )
      },
    )
})
