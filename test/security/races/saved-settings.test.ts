import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'
import { openPatiently, whileHeld } from '../../postgres/held-user.ts'
import { begin, beginLink, consent, enableProvider, land, linkVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp, verifyTotp } from '../../service/devices/factors.ts'
import { Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

/** Whatever is set as `meanwhile` happens once, after a password was hashed or a provider was asked for the profile. */
async function world() {
  const stack = new AsyncDisposableStack()
  const pause: { meanwhile: (() => Promise<unknown>) | undefined } = { meanwhile: undefined }
  const interrupted = async <T>(result: Promise<T>): Promise<T> => {
    const value = await result
    const act = pause.meanwhile
    pause.meanwhile = undefined
    await act?.()
    return value
  }
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  forum.before = (path) => (path === '/api/user' ? interrupted(Promise.resolve()) : Promise.resolve())
  const real = pbkdf2Passwords({ iterations: 1, waitingAtMost: 100 })
  const passwords = {
    ...real,
    hash: (...given: Parameters<typeof real.hash>) => interrupted(real.hash(...given)),
    verify: (...given: Parameters<typeof real.verify>) => interrupted(real.verify(...given)),
  }
  const service = stack.use(
    await startService({
      env: { COMMUNITY_AUTH_URL: forum.url },
      ofEachProcess: () => ({ passwords }),
      open: openPatiently,
    }),
  )
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
  await enableProvider(service, 'community')
  const all = await people(service)
  const save = (fields: Readonly<Record<string, unknown>>) =>
    all.administrator.saveSettings('authentication', fields)
  return { service, pause, save, ...all, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

type World = Awaited<ReturnType<typeof world>>

async function users({ administrator }: World): Promise<number> {
  return (await administrator.post('/api/admin/list_users')).body.total
}

const CLOSED = { registration_enabled: false }
const VERIFIED = { email_verification_required: true }
const NO_FORUM = { community_enabled: false }

describe('checklist 103: settings that are saved while a sign-up runs decide about it', () => {
  for (const [name, fields, code] of [
    ['registration is closed', CLOSED, 'REGISTRATION_DISABLED'],
    [
      'other domains are allowed',
      { email_signup_domain_allowlist: ['elsewhere.example'] },
      'EMAIL_DOMAIN_NOT_ALLOWED',
    ],
  ] as const) {
    it(`${name}: no account is made`, async () => {
      await using w = await world()
      const carl = stranger(w.service)
      const before = await users(w)
      w.pause.meanwhile = () => w.save(fields)

      const { body } = await carl.signUp()

      assert.equal(body.code, code)
      assert.equal(await users(w), before)
    })
  }

  it('verification becomes required: the account gets no session', async () => {
    await using w = await world()
    const carl = stranger(w.service)
    w.pause.meanwhile = () => w.save(VERIFIED)

    const { status, body } = await carl.signUp()

    assert.deepEqual([status, body.token], [200, null])
    assert.equal((await carl.get('/api/auth/get-session')).body, null)
  })

  it('something else is saved: the sign-up goes on', async () => {
    await using w = await world()
    const carl = stranger(w.service)
    w.pause.meanwhile = () => w.administrator.saveSettings('ai', { model: 'another' })

    const { status } = await carl.signUp()

    assert.equal(status, 200)
    assert.equal((await carl.get('/api/auth/get-session')).body.user.email, carl.email)
  })

  it('registration is closed while a provider tells who it is: no account is made', async () => {
    await using w = await world()
    const carl = stranger(w.service)
    const before = await users(w)
    const callback = await consent(await begin(carl, 'community'))
    w.pause.meanwhile = () => w.save(CLOSED)

    const landed = await land(carl, callback)

    assert.match(landed ?? '', /error=registration_disabled/)
    assert.equal(await users(w), before)
  })

  it('once a save has returned, a sign-up that was about to commit adds nobody', async () => {
    await using w = await world()
    const dora = stranger(w.service, 'dora@example.com')
    const counted = async () => {
      await w.save(CLOSED)
      return users(w)
    }

    const [, atTheSave] = await whileHeld<number | object>(
      w.service,
      { sql: 'lock table "user" in share mode' },
      [() => dora.signUp(), counted],
    )

    assert.equal(await users(w), atTheSave)
  })
})

describe('checklist 103: settings that are saved while a sign-in runs decide about it', () => {
  it('verification becomes required: an unverified user gets no session', async () => {
    await using w = await world()
    const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
    w.pause.meanwhile = () => w.save(VERIFIED)

    const { body } = await elsewhere.signIn()

    assert.equal(body.code, 'EMAIL_NOT_VERIFIED')
    assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
  })

  it('verification becomes required: an unverified user does not complete the second step', async () => {
    await using w = await world()
    const app = await addApp(w.service, w.ann)
    const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
    await elsewhere.signIn()
    await w.save(VERIFIED)

    const { body } = await verifyTotp(elsewhere, app.code())

    assert.equal(body.code, 'EMAIL_NOT_VERIFIED')
    assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
  })

  it('the provider is switched off: nobody is signed in by it', async () => {
    await using w = await world()
    await linkVia(w.ann, 'community')
    const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
    const callback = await consent(await begin(elsewhere, 'community'))
    w.pause.meanwhile = () => w.save(NO_FORUM)

    const landed = await land(elsewhere, callback)

    assert.match(landed ?? '', /error=provider_disabled/)
    assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
  })

  for (const [what, fields] of [
    ['client ID', { community_client_id: 'another-client' }],
    ['client secret', { community_client_secret: { action: 'replace', value: 'another secret' } }],
  ] as const) {
    it(`the provider's ${what} is replaced: nobody is signed in by the former one`, async () => {
      await using w = await world()
      await linkVia(w.ann, 'community')
      const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
      const callback = await consent(await begin(elsewhere, 'community'))
      w.pause.meanwhile = () => w.save(fields)

      const landed = await land(elsewhere, callback)

      assert.match(landed ?? '', /error=provider_error/)
      assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
    })
  }

  it('the provider is switched off before the second step: it is not completed', async () => {
    await using w = await world()
    const app = await addApp(w.service, w.ann)
    await linkVia(w.ann, 'community')
    const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
    await land(elsewhere, await consent(await begin(elsewhere, 'community')))
    await w.save(NO_FORUM)

    const { body } = await verifyTotp(elsewhere, app.code())

    assert.equal(body.code, 'PROVIDER_DISABLED')
    assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
  })

  it('the provider is switched off: no account of it is linked', async () => {
    await using w = await world()
    const callback = await consent(await beginLink(w.ann, 'community'))
    w.pause.meanwhile = () => w.save(NO_FORUM)

    const landed = await land(w.ann, callback)

    assert.match(landed ?? '', /error=provider_disabled/)
    const accounts = (await w.ann.get('/api/auth/list-accounts')).body
    assert.deepEqual(
      accounts.map(({ providerId }: { providerId: string }) => providerId),
      ['credential'],
    )
  })
})
