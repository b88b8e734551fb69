import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { enableProvider, linkVia, signInVia } from '../../../test/providers/journey.ts'
import { startPlainProvider } from '../../../test/providers/plain-provider.ts'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { grantFor, refreshWith } from '../../../test/service/grants.ts'
import { it } from '../../../test/service/it.ts'
import { Person, people, stranger } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'

const SUSPEND = '/api/admin/suspend_user'
const RESTORE = '/api/admin/restore_user'
const GET_SESSION = '/api/auth/get-session'

describe('suspend_user', () => {
  it('ends sessions and grants at once, in every process, and keeps its reason', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const client = await grantFor(ann, 'account:profile:read')

    const answer = await administrator.post(SUSPEND, { id: ann.id, reason: 'Sent spam.' })

    const elsewhere = new Person({ request: service.requestElsewhere }, ann.email, ann.password)
    elsewhere.cookies.set('session', ann.cookies.get('session') ?? '')
    assert.deepEqual([answer.status, answer.body], [200, {}])
    assert.equal((await ann.get(GET_SESSION)).body, null)
    assert.equal((await elsewhere.get(GET_SESSION)).body, null)
    assert.equal((await client.post('/api/auth/update-user', { name: 'Ann' })).status, 401)
    assert.equal((await refreshWith(ben, client.tokens.refresh_token)).body.error, 'invalid_grant')
    const { body } = await administrator.post('/api/admin/get_user', { id: ann.id })
    assert.deepEqual([body.suspension_reason, body.suspended_at], ['Sent spam.', service.clock.now()])
    assert.equal((await ben.get(GET_SESSION)).body.user.id, ben.id)
  })

  it('refuses every way to sign in with ACCOUNT_SUSPENDED, but only after the right credential', async () => {
    await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } })
    await using service = await startService({ env: { COMMUNITY_AUTH_URL: forum.url } })
    await enableProvider(service, 'community')
    const { administrator, ann } = await people(service)
    await linkVia(ann, 'community')
    await administrator.post(SUSPEND, { id: ann.id, reason: 'Sent spam.' })

    const right = await new Person(service, ann.email, ann.password).signIn()
    const wrong = await new Person(service, ann.email, 'not the password').signIn()
    const unknown = await stranger(service, 'nobody@example.com').signIn()
    const landed = await signInVia(stranger(service), 'community')

    assert.deepEqual([right.status, right.body.code], [403, 'ACCOUNT_SUSPENDED'])
    assert.deepEqual([wrong.status, wrong.body], [unknown.status, unknown.body])
    assert.equal(landed, '/sign-in?error=account_suspended')
  })

  it('lasts until restore_user, whatever the user does with the mailbox; what it ended stays ended', async ({
    service,
  }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { administrator, ann } = await people(service)
    await administrator.post(SUSPEND, { id: ann.id, reason: 'Sent spam.' })
    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)
    await ann.post('/api/auth/email-otp/reset-password', { email: ann.email, otp, password: ann.password })

    const suspended = await ann.signIn()
    const restored = await administrator.post(RESTORE, { id: ann.id, reason: 'It was somebody else.' })
    const again = await administrator.post(RESTORE, { id: ann.id })

    assert.equal(suspended.body.code, 'ACCOUNT_SUSPENDED')
    assert.deepEqual([restored.status, again.status], [200, 200])
    assert.equal((await ann.get(GET_SESSION)).body, null)
    assert.equal((await ann.signIn()).status, 200)
    const entries = await administrator.post('/api/admin/list_audit_entries', { subject_id: ann.id })
    assert.deepEqual(
      entries.body.items.map(({ action, details }: Entry) => [action, details.reason]),
      [
        ['user.restore', 'It was somebody else.'],
        ['user.sign_in_refused', undefined],
        ['user.suspend', 'Sent spam.'],
      ],
    )
  })

  it('checklist 69: leaves no session of a sign-in that happens at the same moment', async ({
    service,
    administrator,
    ann,
  }) => {
    const browsers = Array.from({ length: 10 }, () => new Person(service, ann.email, ann.password))

    await Promise.all([
      ...browsers.slice(0, 5).map((browser) => browser.signIn()),
      administrator.post(SUSPEND, { id: ann.id, reason: 'Sent spam.' }),
      ...browsers.slice(5).map((browser) => browser.signIn()),
    ])

    for (const browser of browsers) assert.equal((await browser.get(GET_SESSION)).body, null)
  })

  it('is refused for the administrator, for an unknown user and without a reason', async ({
    administrator,
    ann,
  }) => {
    const self = await administrator.post(SUSPEND, { id: administrator.id, reason: 'Tired.' })
    const unknown = await administrator.post(SUSPEND, { id: 'nobody', reason: 'Unknown.' })
    const silent = await administrator.post(SUSPEND, { id: ann.id, reason: ' ' })

    assert.deepEqual([self.status, self.body.code], [403, 'FORBIDDEN'])
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'NOT_FOUND'])
    assert.deepEqual([silent.status, silent.body.code], [400, 'INVALID_REQUEST'])
    assert.equal((await ann.get(GET_SESSION)).body.user.id, ann.id)
  })
})

interface Entry {
  readonly action: string
  readonly details: { readonly reason?: string }
}
