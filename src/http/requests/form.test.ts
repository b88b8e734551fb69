import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { stranger } from '../../../test/service/people.ts'

const ENDPOINTS = ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/device_authorization']
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('an OAuth form', () => {
  it.for(ENDPOINTS)(
    "is refused in the RFC's form whatever is wrong with it: %s",
    async (path, { service }) => {
      const carl = stranger(service)
      const send = (body: string, headers: Record<string, string> = FORM) =>
        carl.send(path, { method: 'POST', body, headers })

      const answers = await Promise.all([
        send(''),
        send('{}', { 'content-type': 'application/json' }),
        send('client_id=cli-client&client_id=cli-client'),
        send('%%%=%%%&=&&'),
        send(`client_id=${'x'.repeat(10_000)}`),
        send(`scope=${'x'.repeat(100_000)}`),
      ])

      assert.equal(answers.at(-1)?.status, 413)
      for (const { status, headers, body } of answers) {
        assert.ok([400, 401, 413].includes(status), `${status}`)
        assert.match(body.error, /^invalid_(request|client|scope)$/)
        assert.equal(typeof body.error_description, 'string')
        assert.equal(headers.get('cache-control'), 'no-store')
      }
    },
  )

  it('works from a browser with cookies and an origin, which give no authority', async ({ ann }) => {
    const { status, body } = await ann.send('/api/oauth/device_authorization', {
      method: 'POST',
      headers: { ...FORM, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
      body: 'client_id=cli-client&scope=account:profile:read',
    })

    assert.equal(status, 200)
    const pending = await ann.send('/api/oauth/token', {
      method: 'POST',
      headers: FORM,
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'cli-client',
        device_code: body.device_code,
      }),
    })
    assert.equal(pending.body.error, 'authorization_pending')
  })

  it('with a client secret is refused: there is none', async ({ service }) => {
    const { status, headers, body } = await stranger(service).send('/api/oauth/token', {
      method: 'POST',
      headers: { ...FORM, authorization: `Basic ${btoa('cli-client:secret')}` },
      body: 'grant_type=refresh_token&refresh_token=x',
    })

    assert.deepEqual([status, body.error], [401, 'invalid_client'])
    assert.equal(headers.get('www-authenticate'), 'Basic realm="gatehouse"')
  })
})
