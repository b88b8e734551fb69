import assert from 'node:assert/strict'
import { decodeProtectedHeader } from 'jose'
import { describe } from 'vitest'
import { resetAdministratorPassword } from '../../../src/features/people/account/password.ts'
import type { MailRoute } from '../../../src/platform/mail/mail.ts'
import { basic, type Registered, register, tokenRequest } from '../../service/applications.ts'
import { postForm } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

/** The same person, in a browser of its own, at the process where nothing is saved. */
function elsewhere({ requestElsewhere: request }: Service, { email, password }: Person): Person {
  return new Person({ request }, email, password)
}

/** Asks the token endpoint, introspection and the feed of revocations. */
async function statusesOf(person: Person, application: Registered): Promise<readonly number[]> {
  const answers = await Promise.all([
    tokenRequest(person, application, { grant_type: 'client_credentials' }),
    postForm(person, '/api/oauth/introspect', { token: 'gha_unknown' }, basic(application)),
    person.post('/api/oauth/revocations', {}, basic(application)),
  ])
  return answers.map(({ status }) => status)
}

describe('what one process replaces counts for the next request at another', () => {
  it('the secret of an application', async ({ service, administrator }) => {
    const there = elsewhere(service, administrator)
    const former = await register(administrator, { kind: 'service', scopes: ['admin:beta:read'] })
    const before = await statusesOf(there, former)

    const { body } = await administrator.post('/api/admin/rotate_application_secret', { id: former.id })
    const after = await statusesOf(there, former)

    assert.deepEqual(before, [200, 200, 200])
    assert.deepEqual(after, [401, 401, 401])
    assert.deepEqual(await statusesOf(there, { ...former, ...body }), [200, 200, 200])
  })

  it('the key of the email provider', async () => {
    const used: MailRoute[] = []
    const send = async (route: MailRoute) => void used.push(route)
    await using service = await startService({ platform: { mail: { providers: ['api'], send } } })
    const { administrator } = await people(service)
    const there = elsewhere(service, administrator)
    await there.signIn()

    for (const value of ['the former key', 'the new key']) {
      const api_key = { action: 'replace', value }
      await administrator.saveSettings('email', { provider: 'api', api_key })
      await there.post('/api/admin/send_test_email', { to: 'ann@example.com' })
    }

    const routes = ['the former key', 'the new key'].map((apiKey) => ({ provider: 'api', apiKey }))
    assert.deepEqual(used, routes)
  })

  it('the key that signs tokens', async ({ service, ann }) => {
    await service.runJob('signing-keys')
    const first = await kidOf(ann)

    service.clock.advance({ days: 89 })
    await service.runJob('signing-keys')
    const there = elsewhere(service, ann)
    await there.signIn()
    const announced = await kidOf(there)
    service.clock.advance({ days: 1 })

    assert.equal(announced, first)
    assert.notEqual(await kidOf(there), first)
  })

  it("the administrator's password, which the host resets", async ({ service, administrator }) => {
    const there = elsewhere(service, administrator)
    await there.signIn()

    const { email, password } = await resetAdministratorPassword(service.platform)

    assert.equal((await there.post('/api/admin/get_overview')).status, 401)
    assert.equal((await there.signIn()).status, 401)
    assert.equal((await elsewhere(service, new Person(service, email, password)).signIn()).status, 200)
  })
})

async function kidOf(person: Person): Promise<string | undefined> {
  return decodeProtectedHeader((await person.get('/api/auth/token')).body.token).kid
}
