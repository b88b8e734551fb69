import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { enableProvider, linkVia, signInVia, whoIs } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor, userBehind } from '../../service/grants.ts'
import { it as base } from '../../service/it.ts'
import { Person } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { codeFor, reset, resetCodeFor, verify } from '../support/codes.ts'
import { assertOut, moveIn } from '../support/moving-in.ts'

const ADDRESS = 'victim@example.com'
const NEW_PASSWORD = 'a quieter walk in the snow'

interface Fixtures {
  readonly service: Service
  /** Two browsers that both claim one address; the owner alone reads its mail. */
  readonly attacker: Person
  readonly owner: Person
  /** The owner's browser, or that of the person, enters the code from the mail. */
  readonly prove: (person?: Person) => ReturnType<typeof verify>
  readonly resetPassword: (password?: string) => ReturnType<typeof reset>
}

const it = base.extend<Fixtures>({
  service: async ({ settings }, use) => {
    await using forum = await startPlainProvider('community', {
      '/api/user': { id: 666, username: 'mallory' },
    })
    await using service = await startService({ env: { COMMUNITY_AUTH_URL: forum.url } })
    await enableProvider(service, 'community')
    await changeSettings(service, 'email', WITH_MAIL.email)
    await changeSettings(service, 'authentication', { ...NO_COOLDOWN, ...settings.authentication })
    await use(service)
  },
  attacker: async ({ service }, use) => use(new Person(service, ADDRESS, 'the password of mallory')),
  owner: async ({ service }, use) => use(new Person(service, ADDRESS, 'a lantern in the harbour')),
  prove: async ({ service, owner }, use) =>
    use(async (person = owner) => verify(person, await codeFor(service, person))),
  resetPassword: async ({ service, owner }, use) =>
    use(async (password = NEW_PASSWORD) => reset(owner, await resetCodeFor(service, owner), password)),
})

/** Opens the account of the forum's member in another browser. */
async function behindLink(service: Service): Promise<string | undefined> {
  const browser = new Person(service, 'mallory@example.com', '')
  await signInVia(browser, 'community')
  return (await whoIs(browser))?.email
}

describe('proof of an address', () => {
  it('checklist 67: what a stranger set up before it is gone after', async ({ service, attacker, prove }) => {
    await attacker.signUp()
    await linkVia(attacker, 'community')
    const stranger = await moveIn(attacker)

    const verified = await prove()

    assert.deepEqual([verified.status, verified.body.hasPassword], [200, false])
    await assertOut(service, attacker, stranger)
    assert.equal((await attacker.signIn()).status, 401)
    assert.notEqual(await behindLink(service), ADDRESS)
  })

  it('checklist 67: a browser that signed up, or is signed in, keeps all', async ({ owner, prove }) => {
    await owner.signUp()
    await linkVia(owner, 'community')
    const tool = await grantFor(owner, 'account:profile:read')

    await prove()

    assert.equal((await whoIs(owner)).emailVerified, true)
    assert.equal(await userBehind(owner, tool.tokens.access_token), owner.id)
    assert.equal((await owner.signIn()).status, 200)
    assert.equal((await owner.get('/api/auth/list-accounts')).body.length, 2)
  })

  it('checklist 67: a later proof ends nothing, in whatever browser', async ({ service, owner, prove }) => {
    await owner.signUp()
    await prove()
    const phone = new Person(service, ADDRESS, owner.password)

    await prove(phone)

    assert.equal((await whoIs(owner)).email, ADDRESS)
    assert.equal((await phone.signIn()).status, 200)
  })
})

describe('proof of an address, if verification is required', () => {
  it.override('settings', { authentication: { email_verification_required: true } })

  it('checklist 67: a stranger who signs up first is out, and no password is set until the owner sends one', async ({
    attacker,
    owner,
    prove,
    resetPassword,
  }) => {
    await attacker.signUp()
    await owner.signUp()

    const verified = await prove()

    assert.deepEqual([verified.status, verified.body.hasPassword], [200, false])
    assert.deepEqual([(await attacker.signIn()).status, (await owner.signIn()).status], [401, 401])
    await resetPassword(owner.password)
    assert.deepEqual([(await attacker.signIn()).status, (await owner.signIn()).status], [401, 200])
  })

  it('checklist 67: a stranger who signs up after the owner is out', async ({ attacker, owner, prove }) => {
    await owner.signUp()
    await attacker.signUp()

    const verified = await prove()

    assert.deepEqual([verified.status, verified.body.hasPassword], [200, true])
    assert.deepEqual([(await attacker.signIn()).status, (await owner.signIn()).status], [401, 200])
  })

  for (const cookie of ['of another address', 'a1.nonsense', '%00']) {
    it(`checklist 67: the cookie ${cookie} proves nothing; a reset then makes a password`, async ({
      service,
      attacker,
      owner,
      prove,
      resetPassword,
    }) => {
      await attacker.signUp()
      const elsewhere = new Person(service, 'other@example.com', owner.password)
      await elsewhere.signUp()
      const isForeign = cookie === 'of another address'
      owner.cookies.set('known_browser', isForeign ? (elsewhere.cookies.get('known_browser') ?? '') : cookie)

      const verified = await prove()

      assert.deepEqual([verified.status, verified.body.hasPassword], [200, false])
      assert.equal((await attacker.signIn()).status, 401)
      assert.equal((await resetPassword(owner.password)).status, 200)
      assert.equal((await owner.signIn()).status, 200)
    })
  }

  it('a sign-up sets the same cookie whether or not the address is taken', async ({ attacker, owner }) => {
    const fresh = await attacker.signUp()
    const taken = await owner.signUp()

    const shape = (headers: Headers) => headers.getSetCookie().map((line) => line.replace(/=a1\.[\w-]+/, '='))
    assert.deepEqual(shape(fresh.headers), shape(taken.headers))
    assert.equal(attacker.cookies.get('known_browser')?.length, owner.cookies.get('known_browser')?.length)
  })
})

describe('a password reset', () => {
  it('checklist 68: ends the access of the user who registered before', async ({
    service,
    attacker,
    prove,
    resetPassword,
  }) => {
    await attacker.signUp()
    await linkVia(attacker, 'community')
    const stranger = await moveIn(attacker)

    assert.equal((await resetPassword()).status, 200)
    await prove()

    await assertOut(service, attacker, stranger)
    assert.notEqual(await behindLink(service), ADDRESS)
    const owner = new Person(service, ADDRESS, NEW_PASSWORD)
    assert.equal((await owner.signIn()).status, 200)
    const { body } = await owner.get('/api/auth/list-accounts')
    assert.deepEqual([body.length, body[0].providerId], [1, 'credential'])
  })

  it('checklist 68: keeps what was linked after it', async ({ service, owner, prove, resetPassword }) => {
    await owner.signUp()
    await prove()
    service.clock.advance({ seconds: 1 })
    await linkVia(owner, 'community')

    await resetPassword()

    assert.equal(await behindLink(service), ADDRESS)
  })
})
