import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { untilSo } from '../../faults/support/replicated.ts'
import { freePort } from '../../processes/free-port.ts'
import { startHttpServer } from '../../processes/http-server.ts'
import { BALANCERS, canBalance, startBalancing } from './balancing.ts'

/** The number of health checks: one a second, each given up after two seconds. */
const CHECKS = 5
const LANES = 16
/** Enough for Caddy's round robin to meet the closed one twice. HAProxy waits a second before it tries again. */
const EACH = { nginx: 100, caddy: 100, haproxy: 5 } as const

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

        const refused: number[] = []
        const lane = async (_: unknown, i: number) => {
          for (let n = 0; n < EACH[name]; n++) {
            const { status } = await proxy.request('/act', { method: 'POST', body: `${i} ${n}` })
            if (status !== 200) refused.push(status)
          }
        }
        await Promise.all(Array.from({ length: LANES }, lane))
        const page = await proxy.request('/')
        await busy.stop()

        const received = new Set(heard('/act').map(({ body }) => body))
        assert.deepEqual([refused, received.size, page.status], [[], LANES * EACH[name], 200])
      },
    )
})
