import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { getRequestListener } from '@hono/node-server'
import { describe } from 'vitest'
import { untilSo } from '../../faults/support/replicated.ts'
import { it } from '../../processes/it.ts'
import { it as ofService } from '../../service/it.ts'
import { LONGEST_ADDRESS, LONGEST_STATE, longestRequest } from './longest-request.ts'
import { canRunNginx, shipped, startNginx } from './started-proxy.ts'

// An address of this machine other than the trusted one.
const PERSON = '127.0.0.2'
const BEHIND = {
  APP_DOMAIN: 'id.example.com',
  HOST: '127.0.0.1',
  TRUSTED_PROXIES: '127.0.0.1',
  SYSTEM_EMAIL: 'operator@example.org',
}
const HEARTBEAT_SECONDS = 25
const LONG_HEADS = ['large_client_header_buffers 4 32k;', 'proxy_buffer_size 32k;', 'proxy_buffers 8 32k;']

describe.skipIf(!canRunNginx)('behind nginx as deploy/nginx.conf has it (needs Linux with nginx and openssl)', () => {
  it('a person signs up over https, and the session has the person’s address, not one they claim; the metrics are not public', async ({
    program,
  }) => {
    const life = await program.serve(BEHIND)
    await using nginx = await startNginx(life.port)

    const ann = { email: 'ann@example.org', password: 'a long enough phrase', name: 'Ann' }
    const claims = { 'x-forwarded-for': '6.6.6.6', 'cf-ipcontinent': 'EU' }
    const signUp = await ask(nginx.port, '/api/auth/sign-up/email', ann, claims)

    assert.equal(signUp.status, 200, JSON.stringify(signUp.body))
    assert.match(String(signUp.headers['set-cookie']), /__Host-session=[^;]+;.*Secure/)
    assert.deepEqual(program.rows('meta', 'select ip from session'), [{ ip: PERSON }])
    const statuses = [await ask(nginx.port, '/metrics'), await ask(nginx.port, '/healthz')]
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [404, 200],
    )
  })

  it('a page at a port other than 443 is one of ours: its cookies count', async ({ program }) => {
    const life = await program.serve(BEHIND)
    await using nginx = await startNginx(life.port)
    const host = `id.example.com:${nginx.port}`
    const page = { host, origin: `https://${host}`, cookie: 'theme=dark' }

    const { status, body } = await ask(nginx.port, '/api/auth/sign-out', {}, page)

    assert.deepEqual([status, body], [200, { success: true }])
  })

  it('the longest `state` of an application comes back whole, and is not too long on its way either', async ({
    program,
  }) => {
    const credentials = await program.prepare()
    const life = await program.serve()
    const asked = await longestRequest(await life.signedIn(credentials))
    await using nginx = await startNginx(life.port)

    const { status, headers } = await ask(nginx.port, asked)

    assert.equal(status, 302)
    assert.equal((await ask(nginx.port, LONGEST_ADDRESS)).status, 200)
    assert.equal(new URL(String(headers.location)).searchParams.get('state'), LONGEST_STATE)
    for (const line of LONG_HEADS)
      for (const name of ['nginx.conf', 'ha/nginx.conf'])
        assert.ok((await shipped(name)).includes(line), `${line} ${name}`)
  })

  ofService(
    'the heartbeat of /api/live reaches the page although nothing follows it, and before nginx gives up',
    async ({ service, ann, mock }) => {
      // The service of this process, whose timers the test can set, on a port.
      const listener = getRequestListener(({ url, method, headers }) => {
        const { pathname, search } = new URL(url)
        return service.request(pathname + search, { method, headers })
      })
      await using server = createServer(listener).listen(0, '127.0.0.1')
      await once(server, 'listening')
      await using nginx = await startNginx((server.address() as AddressInfo).port)
      mock.timers.enable({ apis: ['setInterval'] })
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

      mock.timers.tick(HEARTBEAT_SECONDS * 1_000)
      await untilSo('the heartbeat arrives', async () => text.endsWith('\n\n:\n\n'))
      page.destroy()
      server.closeAllConnections()

      const [, givesUpAfter] = /proxy_read_timeout (\d+)s;/.exec(await shipped('nginx.conf')) ?? []
      assert.ok(Number(givesUpAfter) > HEARTBEAT_SECONDS, `nginx gives up after ${givesUpAfter} s`)
    },
  )
})

/** A GET, or a POST of the body. */
async function ask(port: number, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
  const asked = request({
    ...{ host: '127.0.0.1', localAddress: PERSON, port, path, method: body ? 'POST' : 'GET' },
    // The certificate was just created, so nobody trusts it.
    rejectUnauthorized: false,
    servername: 'id.example.com',
    headers: { host: 'id.example.com', 'content-type': 'application/json', ...headers },
  })
  asked.end(body && JSON.stringify(body))
  const [answer] = await once(asked, 'response')
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: await json(answer).catch(() => undefined),
  }
}
