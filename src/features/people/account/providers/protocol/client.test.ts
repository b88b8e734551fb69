import assert from 'node:assert/strict'
import { createAuthClient } from 'better-auth/client'
import { genericOAuthClient } from 'better-auth/client/plugins'
import { describe } from 'vitest'
import { it } from '../../../../../../test/providers/it.ts'
import { consent, land, whoIs } from '../../../../../../test/providers/journey.ts'
import type { Person } from '../../../../../../test/service/people.ts'
import type { Service } from '../../../../../../test/service/service.ts'

/** The published client, in the browser of this person. */
function clientOf(service: Service, person: Person) {
  return createAuthClient({
    baseURL: 'http://localhost:5173/api/auth',
    plugins: [genericOAuthClient()],
    fetchOptions: {
      customFetchImpl: async (address, init) => {
        const headers = new Headers(init?.headers)
        const cookies = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        if (cookies) headers.set('cookie', cookies)
        const response = await service.request(String(address), { ...init, headers })
        for (const cookie of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          person.cookies.set(name, value)
        }
        return response
      },
    },
  })
}

describe('the published client', () => {
  it('signs in with both kinds of provider, links, lists and unlinks', async ({ service, visitor: ann }) => {
    const client = clientOf(service, ann)

    const social = await client.signIn.social({
      provider: 'provider_a',
      callbackURL: 'http://localhost:5173/home',
      errorCallbackURL: '/sorry',
    })
    assert.equal(social.data?.redirect, true)
    assert.equal(await land(ann, await consent(new URL(social.data?.url ?? ''))), '/home')

    const link = await client.oauth2.link({ providerId: 'community', callbackURL: '/settings' })
    assert.equal(await land(ann, await consent(new URL(link.data?.url ?? ''))), '/settings')
    const accounts = await client.listAccounts()
    assert.deepEqual(
      accounts.data?.map(({ providerId }) => providerId),
      ['provider_a', 'community'],
    )

    const unlinked = await client.unlinkAccount({ providerId: 'provider_a' })
    const last = await client.unlinkAccount({ providerId: 'community' })
    assert.equal(unlinked.data?.status, true)
    assert.equal(last.error?.code, 'FAILED_TO_UNLINK_LAST_ACCOUNT')

    const { id } = await whoIs(ann)
    await client.signOut()
    const generic = await client.signIn.oauth2({ providerId: 'community', callbackURL: '/again' })
    assert.equal(await land(ann, await consent(new URL(generic.data?.url ?? ''))), '/again')
    assert.equal((await client.getSession()).data?.user.id, id)
  })
})
