import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../service/it.ts'

const PATHS = [
  '/',
  '/nothing-here',
  '/healthz',
  '/readyz',
  '/.well-known/oauth-authorization-server',
  '/api/health',
  '/api/nothing-here',
  '/api/docs',
  '/docs',
  '/api/openapi.json',
  '/api/auth/get-session',
  '/api/auth/callback/provider_a',
]
const POLICY = ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]

describe('every response tells browsers what it is, refusals too', () => {
  it.override('options', { env: { APP_DOMAIN: 'id.example.com' } })

  for (const path of PATHS) {
    it(path, async ({ service }) => {
      const { headers } = await service.request(path)

      const policy = headers.get('content-security-policy') ?? ''
      for (const part of POLICY) assert.ok(policy.includes(part), `${part} is not in ${policy}`)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|strict-origin-when-cross-origin)$/)
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains')
    })
  }
})

describe('on localhost, which has no TLS', () => {
  it('there is no strict transport', async ({ service }) => {
    assert.equal((await service.request('/api/health')).headers.get('strict-transport-security'), null)
  })
})
