import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { linkVia, signInVia } from '../../providers/journey.ts'
import { assertRefused, statuses } from '../../service/answers.ts'
import { addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { acceptWithPasskey, showPasskey } from '../../service/devices/security-key.ts'
import { proveAddress, resetByCode } from '../../service/mailed.ts'
import { Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { GET_SESSION, it as inHouse, type World } from '../support/house.ts'

const ASKED = /twoFactorRedirect/

/** `laptop` is trusted, and a thief who has Ann's password is `waiting` at the second step. */
const it = inHouse.extend('laptop', async ({ service, app, browser }) => {
  const laptop = browser()
  await laptop.signIn()
  assert.equal((await verifyTotp(laptop, app.code(), true)).status, 200)
  service.clock.advance({ seconds: 30 })
  return laptop
})

/** Acts that end a sign-in that has begun and a device's trust, by what they were based on. */
const ENDS: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'the app is removed': ({ ann }) => ann.post('/api/auth/two-factor/disable', { password: ann.password }),
  'the app is replaced': ({ service, ann }) => addApp(service, ann),
  'the administrator removes the factors': ({ administrator, ann }) =>
    administrator.post('/api/admin/remove_factors', { id: ann.id }),
  'the user is suspended and restored': async ({ administrator, ann }) => {
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' })
    await administrator.post('/api/admin/restore_user', { id: ann.id })
    return ann.signIn()
  },
  'the password is changed': ({ ann }) =>
    ann.post('/api/auth/change-password', { currentPassword: ann.password, newPassword: 'a quiet walk' }),
  'the password is reset': ({ service, ann }) => resetByCode(service, ann),
  'the user signs out everywhere else': ({ ann }) => ann.post('/api/auth/revoke-other-sessions'),
}

describe('half-done sign-ins and trusted devices end when', () => {
  it.for(Object.entries(ENDS))('checklist 85: %s', async ([, end], { world, service, app, laptop: _, waiting }) => {
    await end(world)

    const tried = await verifyTotp(waiting, app.code())
    const used = await verifyBackupCode(waiting, app.backupCodes[0] ?? '')
    for (const answer of [tried, used]) assertRefused(answer, 'INVALID_TWO_FACTOR_COOKIE')
    assert.equal((await waiting.get(GET_SESSION)).body, null)
    assert.deepEqual(await service.platform.meta.selectFrom('trusted_device').selectAll().execute(), [])
  })

  it('their provider is unlinked, as far as they began there', async ({ service, ann, app, waiting }) => {
    await linkVia(ann, 'community')
    const byProvider = stranger(service)
    assert.equal(await signInVia(byProvider, 'community'), '/sign-in/second-step?method=totp')

    const unlinked = await ann.post('/api/auth/unlink-account', { providerId: 'community' })
    const ended = await verifyTotp(byProvider, app.code())
    const byPassword = await verifyTotp(waiting, app.code())

    assertRefused(ended, 'INVALID_TWO_FACTOR_COOKIE')
    assert.deepEqual(statuses([unlinked, byPassword]), [200, 200])
  })
})

describe('a trusted device', () => {
  it('needs no second step for 30 days, or until it is revoked', async ({ service, app, browser, laptop }) => {
    service.clock.advance({ days: 29, hours: 23 })
    const trusted = await laptop.signIn()
    const { trustedDevices } = (await laptop.get('/api/auth/security-overview')).body
    const elsewhere = await browser().signIn()
    await laptop.post('/api/auth/two-factor/revoke-trusted-device', { id: trustedDevices[0].id })
    const revoked = await laptop.signIn()
    assert.equal((await verifyTotp(laptop, app.code(), true)).status, 200)
    service.clock.advance({ days: 30 })
    const late = await laptop.signIn()

    assert.equal(typeof trusted.body.token, 'string')
    assert.deepEqual([trustedDevices.length, trustedDevices[0].isCurrent], [1, true])
    for (const { body } of [elsewhere, revoked, late]) assert.match(JSON.stringify(body), ASKED)
  })

  it('ends with everything else when the user signs out everywhere', async ({ ann, laptop }) => {
    await ann.post('/api/auth/revoke-sessions')

    assert.match(JSON.stringify((await laptop.signIn()).body), ASKED)
  })

  it('of one user is nobody else’s', async ({ service, ben, laptop }) => {
    await addApp(service, ben)
    ben.cookies.set('trusted_device', laptop.cookies.get('trusted_device') ?? '')

    assert.match(JSON.stringify((await ben.signIn()).body), ASKED)
  })

  it('is looked for among five in its browser', async ({ laptop }) => {
    const own = laptop.cookies.get('trusted_device')
    const behind = async (others: number) => {
      const tokens = [...Array(others).fill(`ght_${'a'.repeat(43)}`), own]
      laptop.cookies.set('trusted_device', tokens.join('.'))
      return typeof (await laptop.signIn()).body.token
    }

    assert.deepEqual([await behind(4), await behind(5)], ['string', 'undefined'])
  })
})

describe('an app that was added before the address was proven', () => {
  it('checklist 85: stays after a reset if its browser proved it first', async ({ service, ann, app: _ }) => {
    await proveAddress(service, ann, ann)
    const thief = new Person(service, ann.email, 'the password of a thief')

    assert.equal((await resetByCode(service, thief)).status, 200)
    assert.match(JSON.stringify((await thief.signIn()).body), ASKED)
  })

  it('checklist 67: is gone after a reset that is the first proof', async ({ service, ann, app: _ }) => {
    const thief = new Person(service, ann.email, 'the password of a thief')

    await resetByCode(service, thief)

    assert.equal((await thief.signIn()).body.user?.email, ann.email)
  })
})

describe('checklist 85: the link of an invitation', () => {
  const email = 'dora@example.com'

  async function invited({ mail }: Service, administrator: Person): Promise<string> {
    await administrator.post('/api/admin/invite_user', { email })
    return mail.linkFor(email)
  }

  const accept = (person: Person, link: string) =>
    person.post('/api/auth/accept-invitation', { email, link, password: person.password })

  it('bypasses no second factor that was added after it', async ({ service, administrator, key }) => {
    const link = await invited(service, administrator)
    const dora = new Person(service, email, 'a heron on the pier')
    await resetByCode(service, dora)
    await dora.signIn()
    await addApp(service, dora)
    const thief = new Person(service, email, 'the password of a thief')

    const byPassword = await accept(thief, link)
    const byPasskey = await acceptWithPasskey(thief, link, key)
    await thief.signIn()
    await showPasskey(thief, key)

    assertRefused(byPassword, 'INVALID_OTP')
    assert.equal(byPasskey.status, 401)
    assert.equal((await thief.get(GET_SESSION)).body, null)
    assert.match(JSON.stringify((await new Person(service, email, dora.password).signIn()).body), ASKED)
  })

  it('counts once, of a password and a passkey at once', async ({ service, administrator, key }) => {
    const link = await invited(service, administrator)
    const [dora, thief, other] = ['a heron on the pier', 'the password of a thief', ''].map(
      (password) => new Person(service, email, password),
    ) as [Person, Person, Person]

    const answers = [accept(thief, link), acceptWithPasskey(other, link, key), accept(dora, link)]

    assert.equal(statuses(await Promise.all(answers)).filter((status) => status === 200).length, 1)
  })
})

describe('checklist 85: guesses at the second step', () => {
  it('are among recent sign-ins; the tenth causes one letter', async ({ service, ann, app, waiting }) => {
    for (let i = 0; i < 12; i++) {
      await verifyTotp(waiting, '000000')
      service.clock.advance({ minutes: 4 })
      await waiting.signIn()
    }

    const letters = await service.mail.sentTo(ann.email)
    assert.equal(letters.filter(({ subject }) => /trying to sign in/.test(subject)).length, 1)
    await ann.signIn()
    await verifyTotp(ann, app.code())
    const { body } = await ann.get('/api/auth/security-overview')
    const refused = body.recentSignIns.filter(({ isRefused }: { isRefused: boolean }) => isRefused)
    assert.ok(refused.length >= 10)
    assert.deepEqual([refused[0].by, refused[0].secondStep], ['credential', 'totp'])
  })
})
