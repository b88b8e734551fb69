import assert from 'node:assert/strict'
import * as arctic from 'arctic'
import { describe } from 'vitest'
import { CALLBACK, register } from '../../service/applications.ts'
import { it } from '../../service/today.ts'

const SCOPES = ['openid', 'email', 'offline_access']

// What SvelteKit's and Astro's guides use.
describe('Arctic', () => {
  it.for(['web', 'browser'] as const)(
    'signs a user in, refreshes and revokes, as a client of kind %s',
    async (kind, { server: { url }, administrator, ann }) => {
      const fields = { kind, skip_consent: true, scopes: SCOPES }
      const { client_id, client_secret = null } = await register(administrator, fields)
      const client = new arctic.OAuth2Client(client_id, client_secret, CALLBACK)
      const state = arctic.generateState()
      const verifier = arctic.generateCodeVerifier()
      const { S256 } = arctic.CodeChallengeMethod

      const page = `${url}/oauth/authorize`
      const asked = client.createAuthorizationURLWithPKCE(page, state, S256, verifier, SCOPES)
      const { headers } = await ann.get(asked.pathname + asked.search)
      const { searchParams } = new URL(headers.get('location') ?? '')
      const endpoint = `${url}/api/oauth/token`
      const code = searchParams.get('code') ?? ''
      const tokens = await client.validateAuthorizationCode(endpoint, code, verifier)
      const renewed = await client.refreshAccessToken(endpoint, tokens.refreshToken(), SCOPES)
      await client.revokeToken(`${url}/api/oauth/revoke`, renewed.refreshToken())

      assert.equal(searchParams.get('state'), state)
      const { sub } = arctic.decodeIdToken(tokens.idToken()) as { readonly sub: string }
      assert.equal(sub, ann.id)
      await assert.rejects(
        client.refreshAccessToken(endpoint, renewed.refreshToken(), SCOPES),
        arctic.OAuth2RequestError,
      )
    },
  )
})
