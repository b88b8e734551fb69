import assert from 'node:assert/strict'
import { createAuthClient } from 'better-auth/client'
import { multiSessionClient } from 'better-auth/client/plugins'
import { createAuthClient as createNewer } from 'better-auth-1.7/client'
import { multiSessionClient as newerAccounts } from 'better-auth-1.7/client/plugins'
import { describe, it } from 'vitest'
import { Jar } from '../../processes/jar.ts'
import { listening } from '../../processes/listening.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

/** Has a cookie jar in place of the browser's. */
function browserAt(url: string) {
  const jar = new Jar()
  const customFetchImpl = (address: string | URL | Request, init?: RequestInit) =>
    jar.fetch(address, { origin: url, ...init })
  return { baseURL: `${url}/api/auth`, fetchOptions: { customFetchImpl } }
}

interface Credentials {
  readonly email: string
  readonly password: string
}

/** The calls are written out for each release, so that each is checked by the types that it publishes. */
const CLIENTS = {
  1.6: (url: string) => {
    const client = createAuthClient({ ...browserAt(url), plugins: [multiSessionClient()] })
    return {
      signIn: (sent: Credentials) => client.signIn.email(sent),
      list: () => client.multiSession.listDeviceSessions(),
      setActive: (sessionToken: string) => client.multiSession.setActive({ sessionToken }),
      revoke: (sessionToken: string) => client.multiSession.revoke({ sessionToken }),
      session: () => client.getSession(),
      signOut: () => client.signOut(),
    }
  },
  1.7: (url: string) => {
    const client = createNewer({ ...browserAt(url), plugins: [newerAccounts()] })
    return {
      signIn: (sent: Credentials) => client.signIn.email(sent),
      list: () => client.multiSession.listDeviceSessions(),
      setActive: (sessionToken: string) => client.multiSession.setActive({ sessionToken }),
      revoke: (sessionToken: string) => client.multiSession.revoke({ sessionToken }),
      session: () => client.getSession(),
      signOut: () => client.signOut(),
    }
  },
}

describe.for(Object.entries(CLIENTS))('the published client %s', ([, clientAt]) => {
  it('lists, switches and leaves the accounts of a browser, unchanged', async () => {
    await using service = await startService()
    await changeSettings(service, 'authentication', { accounts_per_browser: 2 })
    await using server = await listening(service)
    const { ann, ben } = await people(service)
    const client = clientAt(server.url)
    const addresses = async () => {
      const { data, error } = await client.list()
      assert.equal(error, null)
      return (data ?? []).map(({ user }) => user.email)
    }
    const tokenOf = async (email: string) => {
      const { data } = await client.list()
      return data?.find(({ user }) => user.email === email)?.session.token ?? assert.fail(email)
    }

    assert.deepEqual(await addresses(), [])
    for (const { email, password } of [ann, ben]) await client.signIn({ email, password })
    assert.deepEqual(await addresses(), [ben.email, ann.email])

    const switched = await client.setActive(await tokenOf(ann.email))
    assert.equal(switched.data?.user.email, ann.email)
    assert.equal((await client.session()).data?.user.email, ann.email)
    const unknown = await client.setActive('of-another-browser')
    assert.deepEqual([unknown.error?.status, unknown.error?.code], [401, 'INVALID_SESSION_TOKEN'])

    const left = await client.revoke(await tokenOf(ann.email))
    assert.equal(left.data?.status, true)
    assert.equal((await client.session()).data?.user.email, ben.email)
    await client.signOut()
    assert.deepEqual(await addresses(), [])
  })
})
