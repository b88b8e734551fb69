import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { untilSo } from '../../faults/support/replicated.ts'
import { describe, it } from '../../running/node-test.ts'
import { people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { nginxMissing, startNginx } from './shipped-nginx.ts'

const HEARTBEAT_SECONDS = 25

/** The service of this process, whose timers the test can set, on a port. */
async function listen(service: Service) {
  const server = createServer(
    getRequestListener(({ url, method, headers }) => {
      const { pathname, search } = new URL(url)
      return service.request(pathname + search, { method, headers })
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: String((server.address() as AddressInfo).port),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('the heartbeat of /api/live behind nginx as deploy/nginx.conf has it', {
  skip: nginxMissing,
}, () => {
  it('reaches the page although nothing follows it, and before nginx gives up', async (test) => {
    await using service = await startService()
    const { ann } = await people(service)
    await using wire = await listen(service)
    const nginx = await startNginx(wire.port)
    test.after(nginx.stop)
    test.mock.timers.enable({ apis: ['setInterval'] })
    const page = request({
      ...{ host: '127.0.0.1', port: nginx.port, path: '/api/live', rejectUnauthorized: false },
      headers: { host: 'localhost', authorization: `Bearer ${ann.token}` },
    }).end()
    const [response] = await once(page, 'response', { signal: AbortSignal.timeout(120_000) })
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    await untilSo('the page is told what is unread', async () => text.includes('event: unread'))

    test.mock.timers.tick(HEARTBEAT_SECONDS * 1_000)
    await untilSo('the heartbeat arrives', async () => text.endsWith('\n\n:\n\n'))
    page.destroy()

    const shipped = readFileSync(new URL('../../../deploy/nginx.conf', import.meta.url), 'utf8')
    const [, givesUpAfter] = /proxy_read_timeout (\d+)s;/.exec(shipped) ?? []
    assert.ok(Number(givesUpAfter) > HEARTBEAT_SECONDS, `nginx gives up after ${givesUpAfter} s`)
  })
})
