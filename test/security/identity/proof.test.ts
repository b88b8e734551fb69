import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { enableProvider, linkVia, signInVia, whoIs } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor, userBehind } from '../../service/grants.ts'
import { Person } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { assertOut, moveIn } from '../support/moving-in.ts'

const ADDRESS = 'victim@example.com'

const OWNER_PASSWORD = 'a lantern in the harbour'

const NEW_PASSWORD = 'a quieter walk in the snow'

/** Two browsers that both claim one address; the owner alone reads its mail. */
async function world({ isVerificationRequired = false } = {}) {
  const forum = await startPlainProvider('community', { '/api/user': { id: 666, username: 'mallory' } })
  const service = await startService({ env: { COMMUNITY_AUTH_URL: forum.url } })
  await changeSettings(service, 'email', { provider: 'smtp' })
  await enableProvider(service, 'community')
  await changeSettings(service, 'authentication', {
    email_verification_required: isVerificationRequired,
    email_user_action_cooldown_seconds: 0,
  })
  return {
    service,
    attacker: new Person(service, ADDRESS, 'the password of mallory'),
    owner: new Person(service, ADDRESS, OWNER_PASSWORD),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await forum[Symbol.asyncDispose]()
    },
  }
}

async function verificationCodeFor(service: Service, person: Person): Promise<string> {
  await person.post('/api/auth/email-otp/send-verification-otp', {
    email: person.email,
    type: 'email-verification',
  })
  return service.mail.codeFor(person.email)
}

async function verify(service: Service, person: Person) {
  const otp = await verificationCodeFor(service, person)
  return person.post('/api/auth/email-otp/verify-email', { email: person.email, otp })
}

async function reset(service: Service, person: Person, password = NEW_PASSWORD) {
  await person.post('/api/auth/email-otp/request-password-reset', { email: person.email })
  const otp = await service.mail.codeFor(person.email)
  return person.post('/api/auth/email-otp/reset-password', { email: person.email, otp, password })
}

describe('proof of an address', () => {
  it('checklist 67: a stranger who signs up first has no password after the owner enters the code', async () => {
    await using w = await world({ isVerificationRequired: true })
    await w.attacker.signUp()
    await w.owner.signUp()

    const verified = await verify(w.service, w.owner)

    assert.deepEqual([verified.status, verified.body.hasPassword], [200, true])
    assert.equal((await w.attacker.signIn()).status, 401)
    assert.equal((await w.owner.signIn()).status, 200)
  })

  it('checklist 67: the owner who signs up first keeps the account, whoever signs up after', async () => {
    await using w = await world({ isVerificationRequired: true })
    await w.owner.signUp()
    await w.attacker.signUp()

    await verify(w.service, w.owner)

    assert.equal((await w.attacker.signIn()).status, 401)
    assert.equal((await w.owner.signIn()).status, 200)
  })

  it('checklist 67: what a stranger set up before the proof is gone after it', async () => {
    await using w = await world()
    await w.attacker.signUp()
    await linkVia(w.attacker, 'community')
    const stranger = await moveIn(w.attacker)

    const verified = await verify(w.service, w.owner)

    assert.deepEqual([verified.status, verified.body.hasPassword], [200, false])
    await assertOut(w.service, w.attacker, stranger)
    assert.equal((await w.attacker.signIn()).status, 401)
    const byLink = new Person(w.service, 'mallory@example.com', '')
    await signInVia(byLink, 'community')
    assert.notEqual((await whoIs(byLink))?.email, ADDRESS)
  })

  it('checklist 67: a browser that signed up, or is signed in, verifies and keeps everything', async () => {
    await using w = await world()
    await w.owner.signUp()
    await linkVia(w.owner, 'community')
    const tool = await grantFor(w.owner, 'account:profile:read')

    await verify(w.service, w.owner)

    assert.equal((await whoIs(w.owner)).emailVerified, true)
    assert.equal(await userBehind(w.owner, tool.tokens.access_token), w.owner.id)
    assert.equal((await w.owner.signIn()).status, 200)
    assert.equal((await w.owner.get('/api/auth/list-accounts')).body.length, 2)
  })

  it('checklist 67: a later proof ends nothing, in whatever browser', async () => {
    await using w = await world()
    await w.owner.signUp()
    await verify(w.service, w.owner)
    const phone = new Person(w.service, ADDRESS, OWNER_PASSWORD)

    await verify(w.service, phone)

    assert.equal((await whoIs(w.owner)).email, ADDRESS)
    assert.equal((await phone.signIn()).status, 200)
  })

  it('checklist 67: the cookie of another address, or a broken one, proves nothing', async () => {
    for (const broken of [undefined, 'a1.nonsense', '%00']) {
      await using w = await world({ isVerificationRequired: true })
      await w.attacker.signUp()
      const elsewhere = new Person(w.service, 'other@example.com', OWNER_PASSWORD)
      await elsewhere.signUp()
      w.owner.cookies.set('signed_up', broken ?? elsewhere.cookies.get('signed_up') ?? '')

      const verified = await verify(w.service, w.owner)

      assert.deepEqual([verified.status, verified.body.hasPassword], [200, false])
      assert.equal((await w.attacker.signIn()).status, 401)
    }
  })

  it('without a password left, a reset makes one', async () => {
    await using w = await world({ isVerificationRequired: true })
    await w.attacker.signUp()
    await verify(w.service, w.owner)

    assert.equal((await reset(w.service, w.owner, OWNER_PASSWORD)).status, 200)

    assert.equal((await w.owner.signIn()).status, 200)
  })

  it('a browser can keep the cookie of a sign-up, however long the name and the source of it are', async () => {
    await using w = await world({ isVerificationRequired: true })
    w.owner.cookies.set('registration_utm_source', 'x'.repeat(4_000))

    const { headers } = await w.owner.signUp({ name: '\u{1f407}'.repeat(127) })

    const cookie = headers.getSetCookie().find((line) => line.startsWith('signed_up=')) ?? ''
    assert.match(cookie, /^.{1,4096}$/)
  })

  it('a sign-up sets the same cookie whether or not the address is taken', async () => {
    await using w = await world({ isVerificationRequired: true })

    const fresh = await w.attacker.signUp()
    const taken = await w.owner.signUp()

    const shape = (headers: Headers) => headers.getSetCookie().map((line) => line.replace(/=a1\.[\w-]+/, '='))
    assert.deepEqual(shape(fresh.headers), shape(taken.headers))
    assert.equal(w.attacker.cookies.get('signed_up')?.length, w.owner.cookies.get('signed_up')?.length)
  })
})

describe('a password reset', () => {
  it('checklist 68: ends the access of the user who registered the address: sessions, link, tools and approvals', async () => {
    await using w = await world()
    await w.attacker.signUp()
    await linkVia(w.attacker, 'community')
    const stranger = await moveIn(w.attacker)

    assert.equal((await reset(w.service, w.owner)).status, 200)
    await verify(w.service, w.owner)

    await assertOut(w.service, w.attacker, stranger)
    const byLink = new Person(w.service, 'mallory@example.com', '')
    await signInVia(byLink, 'community')
    assert.notEqual((await whoIs(byLink))?.email, ADDRESS)
    const owner = new Person(w.service, ADDRESS, NEW_PASSWORD)
    assert.equal((await owner.signIn()).status, 200)
    assert.deepEqual(
      (await owner.get('/api/auth/list-accounts')).body.map(
        (account: { providerId: string }) => account.providerId,
      ),
      ['credential'],
    )
  })

  it('checklist 68: keeps what the owner linked after the proof', async () => {
    await using w = await world()
    await w.owner.signUp()
    await verify(w.service, w.owner)
    w.service.clock.advance({ seconds: 1 })
    await linkVia(w.owner, 'community')

    await reset(w.service, w.owner)

    const owner = new Person(w.service, ADDRESS, '')
    await signInVia(owner, 'community')
    assert.equal((await whoIs(owner)).email, ADDRESS)
  })
})
