import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { Installation } from '../../processes/installation.ts'
import { describe, it } from '../../running/node-test.ts'
import { nginxMissing, startNginx } from './shipped-nginx.ts'

// Another address of this machine than the trusted one.
const PERSON = '127.0.0.2'

describe('behind nginx as deploy/nginx.conf has it', { skip: nginxMissing }, () => {
  it('a person signs up over https, and the session has the person’s address, not one they claim', async (t) => {
    await using service = new Installation()
    const { url } = await service.serve({
      APP_DOMAIN: 'id.example.com',
      HOST: '127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    const { port, stop } = await startNginx(new URL(url).port)
    t.after(stop)

    const signUp = await post(port, '/api/auth/sign-up/email', {
      body: { email: 'ann@example.org', password: 'a long enough phrase', name: 'Ann' },
      headers: { 'x-forwarded-for': '6.6.6.6', 'cf-ipcontinent': 'EU' },
    })
    assert.equal(signUp.status, 200, JSON.stringify(signUp.body))
    assert.match(String(signUp.headers['set-cookie']), /__Host-session=[^;]+;.*Secure/)
    assert.deepEqual(sessionAddresses(service), [PERSON])
  })

  it('the metrics are not public', async (t) => {
    await using service = new Installation()
    const { url } = await service.serve({
      APP_DOMAIN: 'id.example.com',
      HOST: '127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    const { port, stop } = await startNginx(new URL(url).port)
    t.after(stop)

    assert.equal((await get(port, '/metrics')).status, 404)
    assert.equal((await get(port, '/healthz')).status, 200)
  })
})

function sessionAddresses({ dataDir }: Installation): readonly unknown[] {
  using database = new DatabaseSync(join(dataDir, 'meta.sqlite'), { readOnly: true })
  return database
    .prepare('select ip from session')
    .all()
    .map(({ ip }) => ip)
}

interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const get = (port: number, path: string, headers: Sent['headers'] = {}) => ask(port, path, { headers })
const post = (port: number, path: string, sent: Sent) => ask(port, path, { method: 'POST', ...sent })

async function ask(port: number, path: string, { method = 'GET', body, headers = {} }: Sent) {
  const asked = request({
    host: '127.0.0.1',
    localAddress: PERSON,
    port,
    path,
    method,
    // The certificate was just created, so nobody trusts it.
    rejectUnauthorized: false,
    servername: 'id.example.com',
    headers: { host: 'id.example.com', 'content-type': 'application/json', ...headers },
  })
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = await once(asked, 'response')
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: await json(answer).catch(() => undefined),
  }
}
