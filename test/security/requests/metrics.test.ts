import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { builtPages } from '../../service/built-pages.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { ask } from '../../service/without-socket.ts'

const LOCAL = { host: 'localhost:5173' }

describe('checklist 93: /metrics', () => {
  it('is not there for callers from elsewhere, nor under a foreign name', async ({ service }) => {
    const ask = async (headers: Readonly<Record<string, string>>) =>
      (await stranger(service).get('/metrics', headers)).status
    const foreign = [
      { ...LOCAL, 'x-forwarded-for': '192.0.2.7' },
      { ...LOCAL, 'x-forwarded-for': '' },
      { ...LOCAL, forwarded: 'for=192.0.2.7' },
      { ...LOCAL, 'x-forwarded-proto': 'https' },
      { ...LOCAL, 'cf-connecting-ip': '192.0.2.7' },
      { ...LOCAL, 'true-client-ip': '192.0.2.7' },
      { host: 'evil.example:5173' },
      { host: 'localhost.evil.example' },
      { host: '127.0.0.1.evil.example' },
      { host: '0.0.0.0:5173' },
      {},
    ]

    for (const headers of foreign) assert.equal(await ask(headers), 404, JSON.stringify(headers))
    assert.equal(await ask({ host: 'localhost@evil.example' }), 400)
    for (const host of ['localhost:5173', '127.0.0.1', '[::1]:5173']) assert.equal(await ask({ host }), 200, host)
  })

  it('is not there for a request without a socket, which counts as a stranger’s everywhere', async () => {
    await using service = await startService({ env: { TRUSTED_PROXIES: '0.0.0.0/0' } })
    const app = createApp(service.platform, builtPages())

    const figures = await ask(app, '/metrics', { headers: LOCAL })
    const signedUp = await ask(app, '/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
      body: JSON.stringify({ email: 'eve@example.com', password: 'an owl under the roof', name: 'Eve' }),
    })

    assert.deepEqual([figures.status, signedUp.status], [404, 200])
    const { token } = (await signedUp.json()) as { token: string }
    const { body } = await stranger(service).get('/api/auth/get-session', {
      authorization: `Bearer ${token}`,
    })
    assert.equal(body.session.ipAddress, '0.0.0.0')
  })
})
