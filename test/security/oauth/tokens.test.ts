import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import { oauthError, refusal } from '../../service/answers.ts'
import { bearer } from '../../service/applications.ts'
import { grantFor, postForm } from '../../service/grants.ts'
import { itWith } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

const it = itWith({ email: { provider: 'smtp' }, authentication: { email_changes: 'verified' } })

const READ = 'operations:notifications:read'
const WRITE = 'operations:notifications:write'

describe('59. refusals', () => {
  it('of the token endpoint are 400 or 401 with an error', async ({ service }) => {
    const ask = (form: Record<string, string>) => postForm(stranger(service), '/api/oauth/token', form)
    const answers = await Promise.all([
      ask({}),
      ask({ client_id: 'cli-client' }),
      ask({ client_id: 'cli-client', grant_type: 'refresh_token' }),
      ask({ client_id: 'cli-client', grant_type: 'refresh_token', refresh_token: 'ghr_invented' }),
      ask({ client_id: 'cli-client', grant_type: 'authorization_code', code: 'ghc_invented' }),
    ])

    assert.deepEqual(answers.map(oauthError), [
      [401, 'invalid_client'],
      [400, 'invalid_request'],
      [400, 'invalid_request'],
      [400, 'invalid_grant'],
      [400, 'invalid_request'],
    ])
  })

  it('of protected routes carry WWW-Authenticate', async ({ service, ann }) => {
    const device = stranger(service)
    const client = await grantFor(ann, READ)

    const none = await device.post('/api/list_notifications')
    const dead = await device.post('/api/list_notifications', {}, bearer('gha_dead'))
    const lacking = await client.post('/api/read_notification', { id: 'x' })

    const challenge = (answer: { headers: Headers }) => answer.headers.get('www-authenticate')
    assert.deepEqual([none.status, challenge(none)], [401, 'Bearer realm="gatehouse"'])
    assert.deepEqual([dead.status, challenge(dead)], [401, 'Bearer realm="gatehouse", error="invalid_token"'])
    assert.deepEqual(
      [...refusal(lacking), challenge(lacking)],
      [403, 'INSUFFICIENT_SCOPE', `Bearer realm="gatehouse", error="insufficient_scope", scope="${WRITE}"`],
    )
  })
})

describe("63. a grant's token", () => {
  const ofSessions = (routes as readonly Route[]).filter(({ access }) => access === 'session')

  it('with every scope there is opens no route of a session: no grants, consents, passwords, links', async ({
    service,
    administrator,
  }) => {
    const everything = [READ, WRITE, 'account:profile:write', 'admin:users:write', 'config:email:write']
    const client = await grantFor(administrator, ...everything)

    assert.ok(ofSessions.length >= 5)
    for (const { path, method } of ofSessions) {
      const headers = { ...bearer(client.tokens.access_token), 'content-type': 'application/json' }
      const body = method === 'POST' && { body: '{}' }
      assert.equal((await service.request(path, { method, headers, ...body })).status, 403, path)
    }
  })
})
