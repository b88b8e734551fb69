import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { startDevice } from './service/grants.ts'
import { people } from './service/people.ts'
import { startService } from './service/service.ts'

const PROVIDER = {
  provider_a_enabled: true,
  provider_a_client_id: 'gatehouse',
  provider_a_client_secret: { action: 'replace', value: 'a secret of the provider' },
}

for (const [env, expected] of [
  [{ PORT: '5273' }, 'http://localhost:5273'],
  [{ PUBLIC_URL: 'https://id.example.com:8443', PORT: '5273' }, 'https://id.example.com:8443'],
  [{ APP_DOMAIN: 'id.example.com', PORT: '5273' }, 'https://id.example.com'],
  [{ PUBLIC_URL: 'https://localhost:8443', PORT: '5273' }, 'https://localhost:8443'],
] as const) {
  describe(`with ${JSON.stringify(env)} the public address is ${expected}`, () => {
    it('for providers, settings, clients and the description of the API', async () => {
      await using service = await startService({ env: { ...env, PROVIDER_A: 'github' } })
      const { administrator, ann } = await people(service)
      await administrator.saveSettings('authentication', PROVIDER)

      const toProvider = await ann.post('/api/auth/sign-in/social', { provider: 'provider_a' })
      const settings = await administrator.post('/api/admin/get_authentication_config')
      const metadata = await ann.get('/.well-known/oauth-authorization-server')
      const device = await startDevice(ann, 'account:profile:read')
      const description = await ann.get('/api/openapi.json')
      const pages = await ann.get('/api/client_config')

      const callback = `${expected}/api/auth/callback/provider_a`
      assert.equal(new URL(toProvider.body.url).searchParams.get('redirect_uri'), callback)
      assert.equal(settings.body.provider_a_callback_url, callback)
      assert.equal(metadata.body.issuer, expected)
      assert.equal(metadata.body.token_endpoint, `${expected}/api/oauth/token`)
      assert.equal(device.body.verification_uri, `${expected}/oauth/authorize`)
      assert.deepEqual(description.body.servers, [{ url: expected }])
      assert.equal(pages.body.public_url, expected)
    })

    it('for cookies and for the origin of a request, whatever host was named', async () => {
      await using service = await startService({ env })
      const { ann } = await people(service)
      const isHttps = expected.startsWith('https:')

      const signedIn = await ann.signIn({ host: 'inner.example:5273' })
      const own = await ann.post('/api/auth/update-user', { name: 'Ann' }, { origin: expected })
      const foreign = await ann.post('/api/auth/update-user', { name: 'Ann' }, { origin: 'https://other.example' })

      const cookies = signedIn.headers.getSetCookie().filter((line) => !line.startsWith('db_meta_bookmark='))
      const names = cookies.map((line) => line.slice(0, line.indexOf('=')).replace('__Host-', ''))
      assert.deepEqual(names.toSorted(), ['known_browser', 'session'])
      for (const line of cookies) assert.equal(/^__Host-[^;]*; .*; Secure/.test(line), isHttps, line)
      assert.deepEqual([own.status, foreign.status, foreign.body.code], [200, 403, 'INVALID_ORIGIN'])
    })
  })
}
