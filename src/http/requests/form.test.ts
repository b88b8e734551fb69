import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { stranger } from '../../../test/service/people.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('an OAuth form', () => {
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
