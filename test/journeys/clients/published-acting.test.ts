import assert from 'node:assert/strict'
import { createAuthClient } from 'better-auth/client'
import { adminClient } from 'better-auth/client/plugins'
import { createAuthClient as createNewer } from 'better-auth-1.7/client'
import { adminClient as newerAdmin } from 'better-auth-1.7/client/plugins'
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

interface Sent {
  readonly userId: string
  readonly reason?: string
  readonly write?: boolean
}

/** The calls are written out for each release, so that each is checked by the types that it publishes. */
const RELEASES = {
  1.6: (url: string) => {
    const { signIn, admin, getSession } = createAuthClient({ ...browserAt(url), plugins: [adminClient()] })
    return {
      signIn: (by: Credentials) => signIn.email(by),
      actAs: (sent: Sent) => admin.impersonateUser(sent),
      stop: () => admin.stopImpersonating(),
      session: () => getSession(),
    }
  },
  1.7: (url: string) => {
    const { signIn, admin, getSession } = createNewer({ ...browserAt(url), plugins: [newerAdmin()] })
    return {
      signIn: (by: Credentials) => signIn.email(by),
      actAs: (sent: Sent) => admin.impersonateUser(sent),
      stop: () => admin.stopImpersonating(),
      session: () => getSession(),
    }
  },
}

describe('the published admin client', () => {
  it.for(Object.entries(RELEASES))(
    'of release %s acts as a user, sees it in the session and stops',
    async ([, clientAt]) => {
      await using service = await startService()
      await changeSettings(service, 'authentication', { impersonation: 'read_and_write' })
      const { administrator, ann } = await people(service)
      await using server = await listening(service)
      const client = clientAt(server.url)
      await client.signIn({ email: administrator.email, password: administrator.password })

      const sent = { userId: ann.id, reason: 'Ticket 7', write: true }
      const begun = await client.actAs(sent)
      const acting = await client.session()
      const refused = await client.actAs({ userId: ann.id })
      const stopped = await client.stop()
      const after = await client.session()

      assert.deepEqual([begun.error, begun.data?.user.id], [null, ann.id])
      const session: { readonly impersonatedBy?: string | null | undefined } | undefined = acting.data?.session
      assert.deepEqual([acting.data?.user.id, session?.impersonatedBy], [ann.id, administrator.id])
      assert.equal(refused.error?.code, 'IMPERSONATION_REFUSED')
      assert.equal(stopped.error, null)
      assert.equal(after.data?.user.id, administrator.id)
      const { body } = await ann.post('/api/list_impersonations')
      assert.deepEqual([body.total, body.items[0].reason, body.items[0].mode], [1, 'Ticket 7', 'read_and_write'])
    },
  )
})
