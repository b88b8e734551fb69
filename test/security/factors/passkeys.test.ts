import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, onTestFinished } from 'vitest'
import { importUsers } from '../../../src/operator/user-import/users-file.ts'
import { startHttpServer } from '../../processes/http-server.ts'
import { signInVia } from '../../providers/journey.ts'
import { assertRefused, refusal, statuses } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { attestedWithListAt } from '../../service/devices/android-key.ts'
import {
  acceptWithPasskey,
  addPasskey,
  SecurityKey,
  showPasskey,
  signUpWithPasskey,
} from '../../service/devices/security-key.ts'
import { foreignHashes } from '../../service/foreign-hashes.ts'
import { proveAddress } from '../../service/mailed.ts'
import { from } from '../../service/new-browser.ts'
import { Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { copiesOf, GET_SESSION, it as inHouse } from '../support/house.ts'

const PASSKEY = '/api/auth/passkey'
const INVALID = [401, 'INVALID_PASSKEY']

/** `key` is Ann's. */
const it = inHouse.extend('key', async ({ ann, newKey }) => {
  const key = newKey()
  const added = await addPasskey(ann, key)
  assert.equal(added.status, 200, JSON.stringify(added.body))
  return key
})

async function invited({ mail }: Service, administrator: Person, email: string) {
  const { body } = await administrator.post('/api/admin/invite_user', { email })
  return { id: body.id, link: await mail.linkFor(email) }
}

const refusedOf = <One extends { readonly status: number }>(answers: readonly One[]) =>
  answers.filter(({ status }) => status !== 200)

describe('checklist 86: a passkey', () => {
  it('is both factors with user verification, else one', async ({ ann, key, browser }) => {
    const [present, second] = [browser(), browser()]

    const alone = await showPasskey(browser(), key)
    const unverified = await showPasskey(present, key, { isUserVerified: false })
    const { body: asked } = await second.signIn()
    const afterPassword = await showPasskey(second, key, { isUserVerified: false })

    assert.deepEqual([alone.status, alone.body.user.id], [200, ann.id])
    assertRefused(unverified, 'INVALID_PASSKEY')
    assert.deepEqual(asked, { twoFactorRedirect: true, twoFactorMethods: ['passkey'] })
    assert.equal(afterPassword.status, 200)
    assert.equal((await present.get(GET_SESSION)).body, null)
  })

  it('is refused in a frame of another site, to be made and to be shown', async ({ ann, key, newKey, browser }) => {
    for (const inFrame of [{ crossOrigin: true }, { topOrigin: 'https://evil.example' }]) {
      assertRefused(await addPasskey(ann, newKey(), { inFrame }), 'INVALID_PASSKEY')
      assertRefused(await showPasskey(browser(), key, { inFrame }), 'INVALID_PASSKEY')
    }
    assert.equal((await showPasskey(browser(), key, { inFrame: { crossOrigin: false } })).status, 200)
  })

  it('tells the administrator of the initial password', async ({ service, administrator, newKey }) => {
    const key = newKey()
    await addPasskey(administrator, key)
    const second = new Person(service, administrator.email, administrator.password)
    await second.signIn()

    for (const browser of [stranger(service), second])
      assert.equal((await showPasskey(browser, key)).body.user.passwordIsInitial, true)
  })

  it('of another origin, name, challenge or user opens nothing', async ({ ben, key, browser }) => {
    const { body: old } = await browser().get(`${PASSKEY}/generate-authenticate-options`)

    const answers = [
      await showPasskey(browser(), key, { origin: 'https://evil.example' }),
      await showPasskey(browser(), key, { relyingParty: 'evil.example' }),
      await showPasskey(browser(), key, { challenge: old.challenge }),
      await addPasskey(ben, new SecurityKey('https://evil.example')),
    ]

    assert.deepEqual(answers.map(refusal), Array(4).fill(INVALID))
    assertRefused(await showPasskey(ben, key), 'PASSKEY_NOT_FOUND')
    assert.equal((await ben.get(GET_SESSION)).body.user.id, ben.id)
  })

  it('options are for the browser that asked, 5 minutes, and once', async ({ service, key, browser }) => {
    const [asking, slow] = [browser(), browser()]
    const { body: options } = await asking.get(`${PASSKEY}/generate-authenticate-options`)
    const verify = (person: Person, response: unknown) => person.post(`${PASSKEY}/verify-authentication`, { response })
    const response = key.show(options)

    const elsewhere = await verify(browser(), response)
    const answers = await Promise.all(copiesOf(asking, 20, browser).map((copy) => verify(copy, response)))
    const { body: early } = await slow.get(`${PASSKEY}/generate-authenticate-options`)
    service.clock.advance({ minutes: 5 })
    const late = await verify(slow, key.show(early))

    const refused = [elsewhere, late, ...refusedOf(answers)]
    assert.deepEqual(refused.map(refusal), Array(21).fill(INVALID))
  })

  it('of a stranger makes the service call no address', async ({ service, newKey }) => {
    const inside = await startHttpServer(() => ({ body: 'of no concern to strangers' }))
    onTestFinished(() => inside.stop())
    const attested = attestedWithListAt(`${inside.url}/revoked`)

    const { status } = await signUpWithPasskey(stranger(service), newKey(), { attested })

    assert.deepEqual([status, inside.heard], [200, []])
  })

  it('that seems copied is refused, and mailed', async ({ service, administrator, ann, key, browser }) => {
    await showPasskey(browser(), key, { counter: 7 })

    for (const counter of [7, 3, 0]) {
      const copy = await showPasskey(browser(), key, { counter })
      assertRefused(copy, 'INVALID_PASSKEY')
      assert.match(copy.body.message, /copied/)
    }

    assert.equal((await showPasskey(browser(), key, { counter: 8 })).status, 200)
    const letters = await service.mail.sentTo(ann.email)
    const about = letters.filter(({ subject }) => /copied passkey was refused/.test(subject))
    assert.equal(about.length, 1)
    assert.match(about[0]?.text ?? '', /^Name: Passkey, added 2026-11-21; When:/m)
    const action = 'factor.copy_refused'
    const { body } = await administrator.post('/api/admin/list_audit_entries', { action })
    assert.deepEqual([body.total, body.items[0].subject_id], [3, ann.id])
  })

  it('has an id of at most 1,023 bytes, the one that the browser names', async ({ service }) => {
    const keyOf = (bytes: number) => new SecurityKey(service.config.baseUrl, randomBytes(bytes))
    const register = async (email: string, key: SecurityKey, named = key) => {
      const carl = stranger(service, email)
      const { body: options } = await carl.post(`${PASSKEY}/generate-sign-up-options`, { email })
      const { id, rawId } = named.make(options)
      return carl.post(`${PASSKEY}/verify-sign-up`, { response: { ...key.make(options), id, rawId } })
    }

    const answers = [
      await register('a@example.com', keyOf(1_023)),
      await register('b@example.com', keyOf(1_024)),
      await register('c@example.com', keyOf(4_000), keyOf(16)),
      await register('d@example.com', keyOf(16), keyOf(16)),
    ]

    assert.deepEqual(answers.map(refusal), [[200, undefined], INVALID, INVALID, INVALID])
  })

  it('is for a handle of at most 64 bytes, even if the user id is longer', async ({ service, newKey }) => {
    const key = newKey()
    const { email, password } = stranger(service)
    const password_hash = foreignHashes(password).scrypt
    const fitting = { id: 'ü'.repeat(32), email: 'dora@example.com', password_hash }
    const user = { id: `${fitting.id}.`, email, password_hash }
    await importUsers(service.platform, [fitting, user], () => undefined)
    const [dora, carl] = [stranger(service, fitting.email), stranger(service)]
    const handles: Buffer[] = []
    for (const person of [dora, carl]) {
      await person.signIn()
      const { body } = await person.get(`${PASSKEY}/generate-register-options`)
      handles.push(Buffer.from(body.user.id, 'base64url'))
    }
    const added = await addPasskey(carl, key)

    const shown = await showPasskey(stranger(service), key)

    assert.equal(String(handles[0]), fitting.id)
    assert.ok((handles[1]?.length ?? 0) <= 64)
    assert.deepEqual([added.status, shown.status, shown.body.user.id], [200, 200, user.id])
  })
})

describe('passkeys of strangers', () => {
  it.override('more', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })

  it('checklist 79: of a stranger leaves 120 rows a minute and /64', async ({ service, newKey }) => {
    const key = newKey()
    const respond = async (address: string) => {
      const person = stranger(service)
      const { body: options } = await person.get(`${PASSKEY}/generate-authenticate-options`)
      return person.post(`${PASSKEY}/verify-authentication`, { response: key.show(options) }, from(address))
    }
    const allowed = new Set<number>()
    for (let i = 1; i <= 120; i++) allowed.add((await respond(`2001:db8:1:2::${i.toString(16)}`)).status)

    const same = await respond('2001:db8:1:2:ffff::1')
    const other = await respond('2001:db8:1:3::1')
    service.clock.advance({ minutes: 1 })
    const later = await respond('2001:db8:1:2:ffff::1')

    assert.ok(!allowed.has(429))
    assertRefused(same, 'RATE_LIMITED')
    for (const answer of [other, later]) assertRefused(answer, 'PASSKEY_NOT_FOUND')
  })
})

describe('a sign-up with a passkey', () => {
  it('signs nobody in before a required proof, and opens no balance', async ({ service, newKey }) => {
    await changeSettings(service, 'authentication', {
      passkey_sign_up_enabled: true,
      email_verification_required: true,
    })
    const [key, ofProvider] = [newKey(), newKey()]
    const carl = stranger(service)
    const dora = stranger(service, 'dora@example.com')
    await signInVia(dora, 'community')
    await addPasskey(dora, ofProvider)

    const signedUp = await signUpWithPasskey(carl, key)
    // None opens for a taken address.
    const balances = [...service.platform.shards.values()].map((shard) =>
      shard.selectFrom('credit_balance').where('user_id', '=', signedUp.body.user.id).selectAll().execute(),
    )
    assert.deepEqual((await Promise.all(balances)).flat(), [])
    const early = await showPasskey(carl, key)
    await proveAddress(service, carl, carl)
    const verified = await showPasskey(carl, key)

    assert.deepEqual([signedUp.status, signedUp.body.token], [200, null])
    assertRefused(early, 'EMAIL_NOT_VERIFIED')
    assert.deepEqual([verified.status, verified.body.user.email], [200, carl.email])
    assert.equal((await showPasskey(stranger(service), ofProvider)).status, 200)
  })

  it.for([
    ['required', true],
    ['not required', false],
  ] as const)(
    'to a taken address is in the audit log if verification is %s',
    async ([, email_verification_required], { service, administrator, ann, newKey }) => {
      const settings = { passkey_sign_up_enabled: true, email_verification_required }
      await changeSettings(service, 'authentication', settings)

      await signUpWithPasskey(stranger(service, ann.email), newKey())

      const action = 'user.sign_up_refused'
      const { body } = await administrator.post('/api/admin/list_audit_entries', { action })
      assert.equal(body.total, 1)
    },
  )

  it('makes an account if the settings and its authenticator allow it', async ({ service, newKey }) => {
    await changeSettings(service, 'authentication', { passkey_sign_up_enabled: false })
    const off = await signUpWithPasskey(stranger(service), newKey())
    await changeSettings(service, 'authentication', { passkey_sign_up_enabled: true })
    const carl = stranger(service)
    const key = newKey()

    const weak = await signUpWithPasskey(carl, key, { isUserVerified: false })
    const made = await signUpWithPasskey(carl, key)
    assert.equal(made.status, 200, JSON.stringify(made.body))
    service.clock.advance({ minutes: 2 })
    const again = await signUpWithPasskey(stranger(service), newKey())
    const signedIn = await showPasskey(stranger(service), key)
    const [{ id }] = (await carl.get(`${PASSKEY}/list-user-passkeys`)).body
    const last = await carl.post(`${PASSKEY}/delete-passkey`, { id })

    assertRefused(off, 'SECOND_FACTOR_DISABLED')
    assertRefused(weak, 'INVALID_PASSKEY')
    assert.equal(made.body.user.twoFactorEnabled, true)
    assert.equal((await carl.get(GET_SESSION)).body.user.email, carl.email)
    assertRefused(again, 'USER_ALREADY_EXISTS')
    assert.equal(signedIn.status, 200)
    assertRefused(last, 'FAILED_TO_UNLINK_LAST_ACCOUNT')
  })
})

describe('one passkey for several accounts', () => {
  it('makes no account that nobody could sign in to, and spends no invitation', async ({
    service,
    administrator,
    ben,
    key,
    newKey,
  }) => {
    const dora = stranger(service, 'dora@example.com')
    const { link } = await invited(service, administrator, dora.email)
    const carl = stranger(service)

    const refused = [await acceptWithPasskey(dora, link, key), await signUpWithPasskey(carl, key)]
    await changeSettings(service, 'authentication', { email_verification_required: true })
    refused.push(await signUpWithPasskey(stranger(service, ben.email), key))
    const other = await acceptWithPasskey(dora, link, newKey())

    assert.deepEqual(refused.map(refusal), Array(3).fill(INVALID))
    assert.equal(other.status, 200)
    const { body } = await administrator.post('/api/admin/list_users', { search: carl.email })
    assert.equal(body.total, 0)
  })

  it('makes one account of two sign-ups at once', async ({ service, administrator, newKey }) => {
    const emails = ['dora@example.com', 'carl@example.com']
    const key = newKey()

    const answers = await Promise.all(emails.map((email) => signUpWithPasskey(stranger(service, email), key)))
    const refusedAt = answers.findIndex(({ status }) => status !== 200)
    const search = emails[refusedAt]
    const { body: users } = await administrator.post('/api/admin/list_users', { search })
    const again = await signUpWithPasskey(stranger(service, search), newKey())

    assert.deepEqual(refusedOf(answers).map(refusal), [INVALID])
    assert.deepEqual([users.total, again.status], [0, 200])
  })

  it('spends one of two invitations at once', async ({ service, administrator, newKey }) => {
    const accepting: ((key: SecurityKey) => ReturnType<typeof acceptWithPasskey>)[] = []
    for (const email of ['dora@example.com', 'carl@example.com']) {
      const { link } = await invited(service, administrator, email)
      accepting.push((key) => acceptWithPasskey(stranger(service, email), link, key))
    }
    const key = newKey()

    const answers = await Promise.all(accepting.map((accept) => accept(key)))
    const refusedAt = answers.findIndex(({ status }) => status !== 200)
    const again = await accepting[refusedAt]?.(newKey())

    assert.deepEqual(refusedOf(answers).map(refusal), [INVALID])
    assert.equal(again?.status, 200)
  })

  it('begun by an earlier invitation spends no later one', async ({ service, administrator, newKey }) => {
    const key = newKey()
    const dora = stranger(service, 'dora@example.com')
    const { email } = dora
    const { id, link: earlier } = await invited(service, administrator, email)
    const options = await dora.post(`${PASSKEY}/generate-invitation-options`, { email, link: earlier })
    await administrator.post('/api/admin/delete_user', { id })
    const { link } = await invited(service, administrator, email)

    const response = key.make(options.body)
    const mixed = await dora.post(`${PASSKEY}/accept-invitation`, { email, link, response })
    const accepted = await acceptWithPasskey(dora, link, key)

    assertRefused(mixed, 'INVALID_OTP')
    assert.deepEqual(statuses([accepted, await showPasskey(dora, key)]), [200, 200])
  })

  it('is added once, and an account has at most 20, however many at once', async ({
    service,
    ann,
    key,
    newKey,
    browser,
  }) => {
    const twice = await addPasskey(ann, key)
    service.clock.advance({ minutes: 14 })
    const begun = await Promise.all(
      copiesOf(ann, 25, browser).map(async (copy) => {
        const { body: options } = await copy.get(`${PASSKEY}/generate-register-options`)
        const response = newKey().make(options)
        return () => copy.post(`${PASSKEY}/verify-registration`, { response })
      }),
    )
    const answers = await Promise.all(begun.map((add) => add()))

    assert.equal(twice.body.code, 'INVALID_PASSKEY')
    assert.deepEqual(refusedOf(answers).map(refusal), Array(25 - 19).fill([429, 'QUOTA_EXCEEDED']))
    assert.equal((await ann.get(`${PASSKEY}/list-user-passkeys`)).body.length, 20)
  })
})
