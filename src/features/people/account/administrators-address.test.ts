import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { addPasskey, SecurityKey } from '../../../../test/service/devices/security-key.ts'
import { itWith } from '../../../../test/service/it.ts'
import { resetByCode } from '../../../../test/service/mailed.ts'
import { Person } from '../../../../test/service/people.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'
import { setAdministratorsAddress } from './administrators-address.ts'

const it = itWith(WITH_MAIL)
const NEW = 'owner@example.com'
const GET_SESSION = '/api/auth/get-session'

describe('the administrator’s address, changed on the host', () => {
  it('signs in at once, keeps the sessions, and is told to both addresses and to products', async ({
    service,
    administrator,
  }) => {
    const former = administrator.email
    const before = (await administrator.get(GET_SESSION)).body

    assert.equal(await setAdministratorsAddress(service.platform, NEW), former)

    const after = (await administrator.get(GET_SESSION)).body
    assert.deepEqual([after.session.id, after.user.email, after.user.emailVerified], [before.session.id, NEW, true])
    const [there, here] = [NEW, former].map((email) => new Person(service, email, administrator.password))
    assert.deepEqual([(await there?.signIn())?.status, (await here?.signIn())?.status], [200, 401])
    const events = await service.platform.meta.selectFrom('event').select(['type', 'data']).execute()
    assert.deepEqual(
      events.filter(({ type }) => type === 'user.updated').map(({ data }) => data),
      [JSON.stringify({ email: NEW })],
    )
    const [toFormer, toNew] = [await service.mail.sentTo(former), await service.mail.sentTo(NEW)]
    assert.deepEqual(
      [toFormer.map(({ subject }) => subject).slice(-1), toNew.map(({ subject }) => subject).slice(0, 1)],
      [['Your account has another address – Gatehouse'], ['This is the administrator’s address now – Gatehouse']],
    )
  })

  it('keeps passkeys as a second factor: a later reset by mail does not remove them', async ({
    service,
    administrator,
  }) => {
    service.clock.advance({ seconds: 1 })
    const key = new SecurityKey(service.config.baseUrl)
    assert.equal((await addPasskey(administrator, key)).status, 200)
    service.clock.advance({ seconds: 1 })
    await setAdministratorsAddress(service.platform, NEW)

    const reader = new Person(service, NEW, 'seven boats on a lake')
    assert.equal((await resetByCode(service, reader)).status, 200)

    const { email, password } = reader
    const { body } = await reader.post('/api/auth/sign-in/email', { email, password })
    assert.deepEqual([body.user, body.twoFactorMethods], [undefined, ['passkey']])
  })

  it('is refused if another user has it, and changes nothing if it is the same', async ({
    service,
    administrator,
    ann,
  }) => {
    await assert.rejects(setAdministratorsAddress(service.platform, ann.email), /Another user has the address/)
    const sent = (await service.mail.all()).length

    assert.equal(await setAdministratorsAddress(service.platform, administrator.email), administrator.email)

    assert.equal((await service.mail.all()).length, sent)
    assert.equal((await administrator.get(GET_SESSION)).body.user.email, administrator.email)
  })
})
