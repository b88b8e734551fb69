import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { ELEMENT_PATHS } from '../../src/http/answers/cors.ts'
import { grantFor } from '../service/grants.ts'
import { it } from '../service/it.ts'

const RETURNING = 'https://app.product.example'
const ELSEWHERE = 'https://elsewhere.example'
const COUNT = '/api/count_unread_notifications'

describe('118. a page of another origin', () => {
  it.override('settings', { brand: { return_origins: [RETURNING] } })

  it('checklist 118: that sign-in can return to reads with the cookie what the elements read, and nothing else', async ({
    service,
    ann,
  }) => {
    const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, origin: RETURNING, 'content-type': 'application/json' }
    const post = (path: string, origin = RETURNING) =>
      service.request(path, { method: 'POST', body: '{}', headers: { ...headers, origin } })

    const count = await post(COUNT)
    const live = await service.request('/api/live', { method: 'HEAD', headers })
    const account = await post('/api/auth/list-sessions')
    const foreign = await post(COUNT, ELSEWHERE)

    assert.deepEqual([count.status, count.headers.get('access-control-allow-origin')], [200, RETURNING])
    assert.equal(count.headers.get('access-control-allow-credentials'), 'true')
    assert.deepEqual([live.status, live.headers.get('access-control-allow-origin')], [200, RETURNING])
    assert.match(live.headers.get('vary') ?? '', /origin/i)
    assert.notEqual(account.headers.get('access-control-allow-origin'), RETURNING)
    assert.equal(foreign.status, 403)
    assert.notEqual(foreign.headers.get('access-control-allow-credentials'), 'true')
  })

  it('checklist 118: reads with a token what the token can read, and is offered no cookie', async ({
    service,
    ann,
  }) => {
    const { tokens } = await grantFor(ann, 'operations:notifications:read')
    const asked = await service.request(COUNT, {
      method: 'OPTIONS',
      headers: {
        origin: ELSEWHERE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })
    const count = await service.request(COUNT, {
      method: 'POST',
      body: '{}',
      headers: {
        ...{ origin: ELSEWHERE, 'content-type': 'application/json' },
        authorization: `Bearer ${tokens.access_token}`,
      },
    })

    for (const answer of [asked, count]) {
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      assert.equal(answer.headers.get('access-control-allow-credentials'), null)
    }
    assert.match(asked.headers.get('access-control-allow-headers') ?? '', /authorization/i)
    assert.equal(count.status, 200)
  })

  it('checklist 118: can call no route that manages the account or the service', () => {
    assert.ok(ELEMENT_PATHS.every((path) => !path.startsWith('/api/admin/')))
    assert.deepEqual(
      ELEMENT_PATHS.filter((path) => path.startsWith('/api/auth/')),
      [
        '/api/auth/get-session',
        '/api/auth/multi-session/list-device-sessions',
        '/api/auth/multi-session/revoke',
        '/api/auth/multi-session/set-active',
        '/api/auth/organization/list',
        '/api/auth/organization/set-active',
        '/api/auth/sign-out',
      ],
    )
  })
})
