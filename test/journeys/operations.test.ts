import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createApp } from '../../src/app.ts'
import { freePort } from '../processes/free-port.ts'
import { Installation } from '../processes/installation.ts'
import { builtPages } from '../service/built-pages.ts'
import { stranger } from '../service/people.ts'
import { startService } from '../service/service.ts'

describe('/readyz', () => {
  it('is 200 while every store answers', async () => {
    await using service = await startService()

    const { status, body } = await stranger(service).get('/readyz')

    assert.equal(status, 200)
    assert.deepEqual(new Set(Object.values(body.stores)), new Set(['up']))
  })

  it('is 503 naming the store that is down', async () => {
    const gone = { ping: () => Promise.reject(new Error('gone')) }
    await using service = await startService()
    Object.assign(service.platform.keyValue, gone)

    const { status, body } = await stranger(service).get('/readyz')

    assert.deepEqual([status, body.code], [503, 'STORE_UNAVAILABLE'])
    assert.match(body.message, /key-value/)
  })
})

const LOCAL = { host: 'localhost:5173' }

describe('80. a data folder that was there with mode 0755', () => {
  it('checklist 80: is closed, and so is every file that the service makes in it', async () => {
    await using program = new Installation()
    chmodSync(program.dataDir, 0o755)

    await program.serve()

    const entries = readdirSync(program.dataDir, { withFileTypes: true })
    assert.ok(entries.some(({ name }) => name === 'meta.sqlite'))
    assert.equal(statSync(program.dataDir).mode & 0o777, 0o700)
    for (const entry of entries) {
      const { mode } = statSync(join(program.dataDir, entry.name))
      assert.equal(mode & 0o077, 0, entry.name)
    }
  })
})

describe('/metrics', () => {
  it('counts requests by route, and shows the queues and the stores', async () => {
    await using program = new Installation()
    const port = await freePort()
    const { url } = await program.serve({ METRICS_PORT: String(port) })
    await fetch(`${url}/api/auth/get-session`)

    const text = await (await fetch(`http://localhost:${port}/metrics`)).text()

    assert.match(
      text,
      /gatehouse_request_seconds_count\{route="\/api\/auth\/get-session",method="GET",status="200"\} 1/,
    )
    assert.match(text, /gatehouse_hash_queue 0/)
    assert.match(text, /gatehouse_mail_queue 0/)
    assert.match(text, /gatehouse_store_seconds_count\{store="meta"\} \d+/)
    assert.match(text, /process_resident_memory_bytes/)
  })

  it('is not there for callers from elsewhere', async () => {
    await using service = await startService()

    const forwarded = await stranger(service).get('/metrics', { ...LOCAL, 'x-forwarded-for': '192.0.2.7' })
    const rebound = await stranger(service).get('/metrics', { host: 'evil.example:5173' })
    const unnamed = await stranger(service).get('/metrics')
    const here = await stranger(service).get('/metrics', LOCAL)

    assert.deepEqual(
      [forwarded, rebound, unnamed, here].map(({ status }) => status),
      [404, 404, 404, 200],
    )
  })

  it('is not there for a request of which nothing says where it comes from', async () => {
    await using service = await startService({ env: { TRUSTED_PROXIES: '0.0.0.0/0' } })
    const app = createApp(service.platform, builtPages())

    const figures = await app.request('/metrics', { headers: LOCAL })
    const signedUp = await app.request('/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
      body: JSON.stringify({ email: 'eve@example.com', password: 'an owl under the roof', name: 'Eve' }),
    })

    assert.deepEqual([figures.status, signedUp.status], [404, 200])
    const { ip } = await service.platform.meta.primary
      .selectFrom('session')
      .select('ip')
      .where('user_agent', '=', '')
      .executeTakeFirstOrThrow()
    assert.equal(ip, '0.0.0.0')
  })
})

describe('/healthz', () => {
  it('answers while the process lives', async () => {
    await using service = await startService()

    assert.equal((await stranger(service).get('/healthz')).status, 200)
  })
})
